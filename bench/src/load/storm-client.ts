import { connect, type Socket } from 'node:net';
import { jsonCodec, type Reply } from '@msg/protocol';
import { backoff } from './backoff.ts';
import { clientFrame, readServerFrames, TEXT, upgradeRequest } from './websocket.ts';

const UPGRADE = upgradeRequest(null);
/** What a service sends to find out whether a client lives, and the answer. */
const PING = Buffer.from(jsonCodec.ping);
const PONG = clientFrame(TEXT, jsonCodec.pong);
const HEAD_END = '\r\n\r\n';
/** A raw client that is subscribed to one channel, comes back after every loss, and checks what it gets. */
export class StormClient {
  /** Position in the channel. */
  offset = 0;
  #epoch = '';
  readonly #channel: string;
  readonly #isChecked: boolean;
  readonly #settled: (reply: Buffer) => void;
  #port: number;
  #socket: Socket | undefined;
  #received: Buffer = Buffer.alloc(0);
  #phase: 'upgrading' | 'subscribing' | 'live' = 'upgrading';
  #step = 0;
  #retry: NodeJS.Timeout | undefined;
  #comesBack = false;

  /**
   * `isChecked`: publications must come without a gap, and all that is missed must be recovered. `settled` is told of
   * every reply that made it subscribed.
   */
  constructor(port: number, channel: string, isChecked: boolean, settled: (reply: Buffer) => void) {
    this.#port = port;
    this.#channel = channel;
    this.#isChecked = isChecked;
    this.#settled = settled;
    this.#connect();
  }

  /** Where it goes when it loses its connection. */
  set refuge(port: number) {
    this.#port = port;
  }

  stop(): void {
    clearTimeout(this.#retry);
    this.#socket?.removeAllListeners('close').resetAndDestroy();
  }

  #connect(): void {
    this.#phase = 'upgrading';
    this.#received = Buffer.alloc(0);
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    this.#socket = socket;
    socket.on('connect', () => socket.write(UPGRADE));
    socket.on('data', (chunk: Buffer) => this.#read(socket, chunk));
    socket.on('error', () => {}); // it closes
    socket.on('close', () => {
      this.#retry = setTimeout(() => this.#connect(), backoff(this.#step++));
    });
  }

  #read(socket: Socket, chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    if (this.#phase === 'upgrading') {
      const end = this.#received.indexOf(HEAD_END);
      if (end < 0) return;
      this.#received = this.#received.subarray(end + HEAD_END.length);
      this.#phase = 'subscribing';
      socket.write(clientFrame(TEXT, this.#hello()));
    }
    const { payloads, taken } = readServerFrames(this.#received);
    this.#received = this.#received.subarray(taken);
    for (const payload of payloads) {
      if (PING.equals(payload)) {
        socket.write(PONG);
        continue;
      }
      const reader = jsonCodec.replies(payload);
      for (let reply = reader.next(); reply !== null; reply = reader.next()) this.#take(reply, payload);
    }
  }

  #hello(): Uint8Array {
    const position = { recover: this.#comesBack, offset: this.offset, epoch: this.#epoch };
    return jsonCodec.join([
      jsonCodec.encodeCommand({ id: 1, connect: {} }),
      jsonCodec.encodeCommand({ id: 2, subscribe: { channel: this.#channel, ...position } }),
    ]);
  }

  #take({ error, subscribe, push }: Reply, payload: Buffer): void {
    if (error) throw new Error(`refused: ${error.code} ${error.message}`);
    if (subscribe !== null) {
      if (this.#comesBack && !subscribe.recovered) throw new Error('a client did not recover');
      if (!this.#comesBack) this.offset = subscribe.offset;
      this.#epoch = subscribe.epoch;
      for (const { offset } of subscribe.publications) this.#publication(offset);
      this.#phase = 'live';
      this.#step = 0;
      this.#comesBack = true;
      this.#settled(payload);
    }
    if (push?.pub) this.#publication(push.pub.offset);
  }

  #publication(offset: number): void {
    if (this.#isChecked && offset !== this.offset + 1)
      throw new Error(`offset ${offset} came after ${this.offset}`);
    this.offset = offset;
  }
}
