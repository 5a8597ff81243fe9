import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Bytes } from '../redis/reply.ts';
import { type Node, Replies } from './replies.ts';

/** An answer that does not come within this time will not come. */
const ANSWER_MS = 1500;

/** A connection to a real server. */
export class RealConnection {
  readonly #socket: Socket;
  readonly #replies = new Replies();
  readonly #nodes: Node[] = [];
  #hasEnded = false;
  #wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => {
      this.#replies.push(bytes.toString('latin1'));
      for (let node = this.#replies.next(); node !== undefined; node = this.#replies.next())
        this.#nodes.push(node);
      this.#wake();
    });
    socket.on('error', () => undefined); // its end is told by `close`
    socket.on('close', () => {
      this.#hasEnded = true;
      this.#wake();
    });
  }

  static async open(host: string, port: number): Promise<RealConnection> {
    const socket = connect({ host, port, noDelay: true });
    await once(socket, 'connect');
    return new RealConnection(socket);
  }

  write(bytes: Bytes): void {
    this.#socket.write(Buffer.from(bytes, 'latin1'));
  }

  /** So many replies, or fewer when the server ended the connection or says nothing more. */
  async take(count: number): Promise<readonly Node[]> {
    if (this.#nodes.length < count && !this.#hasEnded) await this.#until(count);
    return this.#nodes.splice(0, count);
  }

  /** Resolves when so many replies have come, those included that were not taken, or no more come. */
  async arrived(count: number): Promise<void> {
    if (this.#nodes.length < count && !this.#hasEnded) await this.#until(count);
  }

  async hasEnded(): Promise<boolean> {
    if (!this.#hasEnded) await this.#until(Number.POSITIVE_INFINITY);
    return this.#hasEnded;
  }

  /** Everything that has arrived and was not taken. */
  get left(): readonly Node[] {
    return this.#nodes;
  }

  close(): void {
    this.#socket.destroy();
  }

  #until(count: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ANSWER_MS);
      this.#wake = () => {
        if (this.#nodes.length < count && !this.#hasEnded) return;
        clearTimeout(timer);
        this.#wake = () => undefined;
        resolve();
      };
    });
  }
}
