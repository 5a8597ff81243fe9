import { connect, type Socket } from 'node:net';
import type { Dialect, Step } from './dialects/dialect.ts';

const READ_BUFFER = Buffer.allocUnsafe(262_144);
const STEP_MS = 20_000;

/** One raw socket to a server of any dialect. */
export class PeerConnection {
  readonly #socket: Socket;
  #read: (chunk: Buffer) => void = () => {};
  /** Read and not yet waited for: a server may speak first. */
  #received = '';

  constructor(port: number) {
    this.#read = chunk => {
      this.#received += chunk.toString('latin1');
    };
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: READ_BUFFER,
        callback: length => {
          this.#read(READ_BUFFER.subarray(0, length));
          return true;
        },
      },
    });
    this.#socket.on('error', error => {
      throw error;
    });
  }

  /** Sends what each step says, and waits for its answer. */
  async take(steps: readonly Step[]): Promise<void> {
    for (const { send, until } of steps) {
      if (send.length > 0) this.#socket.write(send);
      await this.#until(until);
    }
    this.#received = '';
    this.#socket.on('close', () => {
      throw new Error('the server closed a connection');
    });
  }

  /** From now on answers pings, and tells how often the mark, one byte, was in a read. */
  count({ ping, pong }: Dialect, mark: string, arrived: (marks: number) => void): void {
    const byte = mark.charCodeAt(0);
    this.#read = chunk => {
      // It may come in one read with publications.
      if (chunk.includes(ping)) this.#socket.write(pong);
      let marks = 0;
      for (let at = chunk.indexOf(byte); at >= 0; at = chunk.indexOf(byte, at + 1)) marks++;
      if (marks > 0) arrived(marks);
    };
  }

  write(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** Drops the connection without leaving a port in TIME_WAIT. */
  reset(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.resetAndDestroy();
  }

  #until(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const limit = setTimeout(
        () => reject(new Error(`"${text}" was not received: ${this.#received}`)),
        STEP_MS,
      );
      const look = (): void => {
        const at = this.#received.indexOf(text);
        if (at < 0) return;
        clearTimeout(limit);
        this.#received = this.#received.slice(at + text.length);
        this.#read = chunk => {
          this.#received += chunk.toString('latin1');
        };
        resolve();
      };
      this.#read = chunk => {
        this.#received += chunk.toString('latin1');
        look();
      };
      look();
    });
  }
}
