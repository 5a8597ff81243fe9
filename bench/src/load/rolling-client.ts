import { connect, type Socket } from 'node:net';
import { jsonCodec, type Reply } from '@msg/protocol';
import { nowUs } from '../stamp.ts';
import { backoff } from './backoff.ts';
import type { Balancer } from './balancer.ts';
import type { RollingCounts } from './rolling-counts.ts';
import { ClosedByServer, clientFrame, readServerFrames, TEXT, upgradeRequest } from './websocket.ts';

const UPGRADE = upgradeRequest(null);
const PONG = clientFrame(TEXT, jsonCodec.pong);
const HEAD_END = '\r\n\r\n';
const ACCEPTED = 'HTTP/1.1 101';
/** Clients do not come back after the codes from here on. */
const TERMINAL = 3500;

/** What is published: its number in the channel, and its moment. */
export interface Numbered {
  readonly n: number;
  readonly us: number;
}

export interface RollingParts {
  readonly balancer: Balancer;
  readonly counts: RollingCounts;
  /** Drawn from [0, 1). */
  readonly fraction: () => number;
}

/** A client of one channel that is sent from node to node, comes back as the stock client does, and counts what it gets. */
export class RollingClient {
  /** Number of the last publication; undefined before the first. */
  last: number | undefined;
  /** Where it is subscribed. */
  node: number | undefined;
  readonly #channel: string;
  readonly #parts: RollingParts;
  readonly #settled = Promise.withResolvers<void>();
  #position = { offset: 0, epoch: '' };
  #comesBack = false;
  #socket: Socket | undefined;
  #received: Buffer = Buffer.alloc(0);
  #isUpgraded = false;
  #step = 0;
  #lostUs = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(channel: string, parts: RollingParts) {
    this.#channel = channel;
    this.#parts = parts;
    this.#connect(parts.balancer.choose(), true);
  }

  /** Resolves when it was subscribed for the first time. */
  get ready(): Promise<void> {
    return this.#settled.promise;
  }

  stop(): void {
    clearTimeout(this.#retry);
    this.#socket?.removeAllListeners('close').resetAndDestroy();
  }

  /** A balancer tries another node when one refuses: `mayMove`. */
  #connect(node: number, mayMove: boolean): void {
    const { balancer, counts } = this.#parts;
    this.#isUpgraded = false;
    this.#received = Buffer.alloc(0);
    const socket = connect({ port: balancer.ports[node] as number, host: '127.0.0.1', noDelay: true });
    this.#socket = socket;
    balancer.opened(node);
    socket.on('connect', () => socket.write(UPGRADE));
    socket.on('data', (chunk: Buffer) => this.#read(socket, node, chunk));
    socket.on('error', () => {}); // it closes
    socket.on('close', () => {
      balancer.closed(node);
      const wasLive = this.node !== undefined;
      this.node = undefined;
      if (wasLive) this.#lostUs = nowUs();
      else counts.refused++;
      if (!wasLive && !this.#isUpgraded && mayMove) this.#connect(balancer.choose(node), false);
      else this.#retry = setTimeout(() => this.#connect(balancer.choose(), true), this.#delay());
    });
  }

  #delay(): number {
    return backoff(this.#step++, this.#parts.fraction());
  }

  #read(socket: Socket, node: number, chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    if (!this.#isUpgraded) {
      const end = this.#received.indexOf(HEAD_END);
      if (end < 0) return;
      if (!this.#received.toString('latin1', 0, ACCEPTED.length).startsWith(ACCEPTED)) {
        socket.destroy();
        return;
      }
      this.#received = this.#received.subarray(end + HEAD_END.length);
      this.#isUpgraded = true;
      socket.write(clientFrame(TEXT, this.#hello()));
    }
    this.#readFrames(socket, node);
  }

  #readFrames(socket: Socket, node: number): void {
    try {
      const { payloads, taken } = readServerFrames(this.#received);
      this.#received = this.#received.subarray(taken);
      this.#takeAll(payloads, socket, node);
    } catch (error) {
      if (!(error instanceof ClosedByServer) || error.code >= TERMINAL) throw error;
      this.#takeAll(error.payloads, socket, node);
      socket.destroy();
    }
  }

  #takeAll(payloads: readonly Buffer[], socket: Socket, node: number): void {
    for (const payload of payloads) {
      if (payload.equals(jsonCodec.ping)) {
        socket.write(PONG);
        continue;
      }
      const reader = jsonCodec.replies(payload);
      for (let reply = reader.next(); reply !== null; reply = reader.next()) this.#take(reply, socket, node);
    }
  }

  #hello(): Uint8Array {
    return jsonCodec.join([
      jsonCodec.encodeCommand({ id: 1, connect: {} }),
      jsonCodec.encodeCommand({
        id: 2,
        subscribe: { channel: this.#channel, recover: this.#comesBack, ...this.#position },
      }),
    ]);
  }

  #take({ error, subscribe, push }: Reply, socket: Socket, node: number): void {
    if (error !== null) {
      if (!error.temporary) throw new Error(`refused: ${error.code} ${error.message}`);
      socket.destroy();
      return;
    }
    if (subscribe !== null) {
      if (this.#comesBack && !subscribe.recovered) this.#parts.counts.unrecovered++;
      const { offset: atSubscribe, epoch, recovered } = subscribe;
      this.#position = { offset: recovered ? this.#position.offset : atSubscribe, epoch };
      for (const { offset, data } of subscribe.publications) this.#publication(offset, data.bytes);
      this.node = node;
      this.#step = 0;
      if (this.#comesBack) this.#parts.counts.back(nowUs() - this.#lostUs);
      this.#comesBack = true;
      this.#settled.resolve();
    }
    if (push?.pub) this.#publication(push.pub.offset, push.pub.data.bytes);
  }

  #publication(offset: number, bytes: Uint8Array): void {
    const { counts } = this.#parts;
    const { n, us } = JSON.parse(Buffer.from(bytes).toString()) as Numbered; // as the publisher writes it
    this.#position = { ...this.#position, offset };
    counts.arrived(us);
    const expected = (this.last ?? n - 1) + 1;
    if (n < expected) counts.doubled++;
    else {
      counts.missing += n - expected;
      this.last = n;
    }
  }
}
