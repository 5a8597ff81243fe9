import { createECDH, createPublicKey, createVerify, type ECDH } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import ece from 'http_ece';
import type { Actor } from '../../kernel/actor.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { networkOf } from '../../net/network.ts';
import { acceptTls } from '../../net/tls.ts';
import type { PushAnswer } from '../../oracles/push.ts';

const PUSH_HOST = 'push.sim.example';
const PUSH_ADDRESS = '11.0.0.1';
/** Without a listener, as after a name has moved. */
const STALE_ADDRESS = '11.0.0.2';

interface Subscriber {
  readonly keys: ECDH;
  readonly auth: string;
  /** Virtual milliseconds from which on the subscription has ended. */
  readonly endsMs: number;
}

/** A push service with subscriptions of browsers: it decrypts what it gets, and gives every kind of answer. */
export class PushService {
  readonly answers: PushAnswer[] = [];
  /** What it got and must not get. */
  readonly faults: string[] = [];
  readonly #kernel: Kernel;
  readonly #subscribers = new Map<string, Subscriber>();
  /** Virtual milliseconds from which on every answer is that of a healthy service. */
  readonly #calmFromMs: number;

  constructor(kernel: Kernel, calmFromMs: number) {
    this.#kernel = kernel;
    this.#calmFromMs = calmFromMs;
  }

  get actor(): Actor {
    return this.#kernel.actor('push service');
  }

  start(): void {
    const network = networkOf(this.#kernel);
    network.certificates.add(PUSH_HOST);
    network.certificates.add('other.sim.example');
    network.name(PUSH_HOST, [PUSH_ADDRESS]);
    this.#startAt(0);
  }

  restart(afterMs: number): void {
    this.#kernel.kill(this.actor);
    this.#startAt(this.#kernel.nowUs / 1000 + afterMs);
  }

  /** The name service gives a wrong answer, or none, until it is asked to give the right one. */
  moveName(to: 'nowhere' | 'stale' | 'back'): void {
    const addresses = { nowhere: [], stale: [STALE_ADDRESS], back: [PUSH_ADDRESS] }[to];
    networkOf(this.#kernel).name(PUSH_HOST, addresses);
  }

  /** The subscription of a browser, as its page sends it to the application. */
  subscribe(endsMs: number): { endpoint: string; keys: { p256dh: string; auth: string } } {
    const draw = this.#kernel.stream(`subscription ${this.#subscribers.size}`);
    const keys = createECDH('prime256v1');
    keys.setPrivateKey(Buffer.from(draw.bytes(32)));
    const auth = Buffer.from(draw.bytes(16)).toString('base64url');
    const path = `/wpush/${this.#subscribers.size}`;
    this.#subscribers.set(path, { keys, auth, endsMs });
    return {
      endpoint: `https://${PUSH_HOST}${path}`,
      keys: { p256dh: keys.getPublicKey('base64url'), auth },
    };
  }

  #startAt(ms: number): void {
    const { actor } = this;
    this.#kernel.at(ms, actor, 'start', () => {
      const server = createServer((request, response) => {
        response.sendDate = false; // Node.js reads the real clock for it
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => this.#got(request, Buffer.concat(chunks), response));
      });
      const draw = actor.stream('certificates');
      networkOf(this.#kernel).listen(PUSH_ADDRESS, 443, raw => {
        const isWrong = this.#isStormy && draw.chance(2);
        server.emit('connection', acceptTls(raw, isWrong ? 'other.sim.example' : PUSH_HOST));
      });
    });
  }

  get #isStormy(): boolean {
    return this.#kernel.nowUs / 1000 < this.#calmFromMs;
  }

  #got(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const subscriber = this.#subscribers.get(request.url ?? '');
    if (subscriber === undefined) {
      this.faults.push(`a message for ${request.url}`);
      return;
    }
    this.#checkHeaders(request);
    const { keys, auth } = subscriber;
    const plain = ece.decrypt(body, { version: 'aes128gcm', privateKey: keys, authSecret: auth });
    const row = Number((JSON.parse(plain.toString()) as { body: string }).body); // of writer.ts
    this.#answer(row, subscriber, response);
  }

  #answer(row: number, { endsMs }: Subscriber, response: ServerResponse): void {
    const draw = this.actor.stream('answers');
    const nowMs = this.#kernel.nowUs / 1000;
    const healthy = nowMs >= endsMs ? draw.pick([404, 410]) : 201;
    const isHealthy = !this.#isStormy || draw.chance(60);
    const status = isHealthy ? healthy : draw.pick([429, 429, 500, 503, 400, 0]);
    const retryAfterS = status === 429 && draw.chance(70) ? draw.between(1, 12) : 0;
    const isLost = this.#isStormy && draw.chance(5);
    this.answers.push({ row, status, isLost, retryAfterS, atUs: this.#kernel.nowUs });
    if (status === 0) return;
    if (isLost) response.destroy();
    else {
      const headers = retryAfterS === 0 ? {} : { 'retry-after': String(retryAfterS) };
      response.writeHead(status, headers).end();
    }
  }

  /** RFC 8030, 8291 and 8292: what a push service refuses is a fault of the sender. */
  #checkHeaders({ headers }: IncomingMessage): void {
    const [, signed = '', signature = '', key = ''] =
      /^vapid t=([^,]+)\.([^.,]+), k=([A-Za-z0-9_-]{87})$/.exec(headers.authorization ?? '') ?? [];
    const point = Buffer.from(key, 'base64url');
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map(half => half.toString('base64url'));
    const isRight =
      headers['content-encoding'] === 'aes128gcm' &&
      /^\d+$/.test(String(headers['ttl'])) &&
      point.length === 65 &&
      createVerify('sha256')
        .update(signed)
        .verify(
          {
            key: createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' } }),
            dsaEncoding: 'ieee-p1363',
          },
          Buffer.from(signature, 'base64url'),
        );
    if (!isRight) this.faults.push('a message whose headers are not right');
  }
}
