// A load process: a publisher that calls the RPC at a rate, and subscribers that take the time until a publication arrives.
import { serveQuestions } from '../pinned.ts';
import { rpcRequest } from '../rpc-request.ts';
import { payloads } from '../servers/payloads.ts';
import { nowUs, STAMP_DIGITS, STAMP_MARKER, stamped } from '../stamp.ts';
import type { AcrossQuestion, Arrivals } from './across-questions.ts';
import { Connection } from './connection.ts';
import { KeptConnection } from './kept-connection.ts';
import { SubscriberBytes } from './subscribe-request.ts';

const SUBSCRIBING = { encoding: 'json', channels: 1, delta: false } as const;
const MARKER = Buffer.from(STAMP_MARKER);
const STAMP_BYTES = MARKER.length + STAMP_DIGITS;
/** Nothing has arrived for so long: nothing more will. */
const QUIET_MS = 500;
const DEADLINE_MS = 20_000;
/** Requests of the connection that may wait for their answers. */
const UNDER_WAY = 4;

/** The times of one subscriber. A stamp may come in two reads. */
class Times {
  us: number[] = [];
  #rest: Buffer = Buffer.alloc(0);

  take(chunk: Buffer): void {
    const now = nowUs();
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let end = 0;
    for (let at = bytes.indexOf(MARKER); at >= 0; at = bytes.indexOf(MARKER, end)) {
      if (at + STAMP_BYTES > bytes.length) {
        end = at;
        break;
      }
      end = at + STAMP_BYTES;
      this.us.push(now - Number(bytes.toString('latin1', at + MARKER.length, end)));
    }
    this.#rest = Buffer.from(bytes.subarray(Math.max(end, bytes.length - STAMP_BYTES)));
  }

  quantiles(): Arrivals['subscribers'][number] {
    const sorted = Float64Array.from(this.us).sort();
    this.us = [];
    const at = (q: number): number => sorted[Math.floor(sorted.length * q)] ?? Number.NaN;
    return { count: sorted.length, p50: at(0.5), p99: at(0.99) };
  }
}

let publisher: KeptConnection | undefined;
let opened: Extract<AcrossQuestion, { kind: 'publisher' }> | undefined;
const subscribers: Times[] = [];

/** Opens the connection of the publisher, which stays. */
async function openPublisher(question: Extract<AcrossQuestion, { kind: 'publisher' }>): Promise<object> {
  opened = question;
  publisher = await KeptConnection.open(question.port);
  return {};
}

async function subscribe(times: Times): Promise<object> {
  const bytes = new SubscriberBytes(SUBSCRIBING);
  const connection = new Connection(opened?.port ?? 0);
  await connection.open();
  await connection.subscribe(bytes, opened?.channel ?? '');
  connection.count(bytes, chunk => times.take(chunk));
  return {};
}

function request(atOnce: number): Buffer {
  const { token = '', channel = '' } = opened ?? {};
  const [plain] = payloads('plain') as [Buffer];
  const item = { name: channel, data: stamped(plain).toString('base64'), tags: {}, idempotency_key: '' };
  if (atOnce === 1) return rpcRequest('Publish', token, item);
  return rpcRequest('PublishMany', token, { items: Array.from({ length: atOnce }, () => item) });
}

/** Publishes at the rate, or as fast as it is answered; answers the times when nothing more arrives. */
async function publish(
  connection: KeptConnection,
  { perSecond, atOnce, ms }: Extract<AcrossQuestion, { kind: 'publish' }>,
) {
  await answered(connection);
  const begun = performance.now();
  const everyMs = (1000 * atOnce) / perSecond;
  let sent = 0;
  while (performance.now() - begun < ms) {
    while (sent * everyMs <= performance.now() - begun && connection.waiting < UNDER_WAY) {
      connection.send(request(atOnce));
      sent++;
    }
    await new Promise(resolve => setTimeout(resolve, Math.min(everyMs, 5)));
  }
  const took = performance.now() - begun;
  await answered(connection);
  const arrived = (): number => subscribers.reduce((sum, { us }) => sum + us.length, 0);
  for (let before = -1; before !== arrived(); ) {
    before = arrived();
    await new Promise(resolve => setTimeout(resolve, QUIET_MS));
  }
  return {
    published: sent * atOnce,
    ms: took,
    subscribers: subscribers.map(times => times.quantiles()),
  } satisfies Arrivals;
}

/** Every request was answered with 200. */
async function answered(connection: KeptConnection): Promise<void> {
  for (const end = performance.now() + DEADLINE_MS; connection.waiting > 0 && performance.now() < end; )
    await new Promise(resolve => setTimeout(resolve, 20));
  if (connection.waiting > 0) throw new Error(`${connection.waiting} requests were not answered with 200`);
}

function publishing(question: Extract<AcrossQuestion, { kind: 'publish' }>): Promise<Arrivals> {
  if (publisher === undefined) throw new Error('there is not a publisher yet');
  const connection = publisher;
  return connection.busy(() => publish(connection, question));
}

serveQuestions<AcrossQuestion>(question => {
  switch (question.kind) {
    case 'publisher':
      return openPublisher(question);
    case 'subscribe':
      subscribers.push(new Times());
      return subscribe(subscribers.at(-1) as Times);
    case 'publish':
      return publishing(question);
  }
});
