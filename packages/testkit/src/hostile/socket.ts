import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '../eventually.ts';
import { type RawResponse, readResponse } from './http-response.ts';
import { loopbackAddress } from './loopback.ts';
import { ReceivedBytes } from './received-bytes.ts';

/** How a connection ended: the peer sent FIN, the peer sent RST, or this side closed it. */
export type SocketEnd = 'fin' | 'reset' | 'own';

export interface HostileSocketOptions {
  /** False: take nothing of what the peer sends, so that its buffers fill. Default true. */
  readonly reads?: boolean;
  /** Received bytes that are kept for the test; more are counted and dropped. Default 4 MiB. */
  readonly keepBytes?: number;
}

export interface DripOptions {
  /** Bytes of one write. Default 1. */
  readonly pieceBytes?: number;
  /** Between two writes, milliseconds. Default 1. */
  readonly intervalMs?: number;
}

/** How long a FIN may take to leave before a reset. */
const SHUTDOWN_MS = 1000;
const KEEP_BYTES = 4_194_304;

/**
 * A TCP connection that does exactly what a test says: it sends bytes whole, in pieces or one by one, stops reading,
 * closes one half, or resets the connection (a real RST). It connects to loopback addresses only.
 */
export class HostileSocket {
  readonly #socket: Socket;
  readonly #received: ReceivedBytes;
  #finReceived = false;
  #end: SocketEnd | undefined;
  #closedByUs = false;
  #resetting = false;

  private constructor(socket: Socket, options: HostileSocketOptions) {
    this.#socket = socket;
    this.#received = new ReceivedBytes(options.keepBytes ?? KEEP_BYTES);
    socket.setNoDelay(true);
    socket.on('error', () => {
      if (!this.#closedByUs) this.#end ??= 'reset';
    });
    socket.on('end', () => {
      this.#finReceived = true;
    });
    socket.on('close', () => {
      this.#end ??= this.#closedByUs ? 'own' : this.#finReceived ? 'fin' : 'reset';
    });
    if (options.reads !== false) this.read();
  }

  /** Connects. @throws RangeError for a URL that is not loopback; rejects when the connection is refused. */
  static async open(url: string, options: HostileSocketOptions = {}): Promise<HostileSocket> {
    const socket = connect({ ...loopbackAddress(url), allowHalfOpen: true });
    const hostile = new HostileSocket(socket, options);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return hostile;
  }

  /** Bytes that arrived, dropped ones included. */
  get receivedBytes(): number {
    return this.#received.total;
  }

  /** What arrived and was kept, as Latin-1: one character per byte. */
  get text(): string {
    return this.#received.kept().toString('latin1');
  }

  /** The peer sent FIN. The connection may still be open in the other direction. */
  get finReceived(): boolean {
    return this.#finReceived;
  }

  /** How the connection ended; `undefined` while it is open. */
  get end(): SocketEnd | undefined {
    return this.#end;
  }

  /** Takes what the peer sends, from now on. */
  read(): void {
    if (this.#socket.listenerCount('data') === 0)
      this.#socket.on('data', (chunk: Buffer) => this.#received.take(chunk));
    this.#socket.resume();
  }

  /** Takes nothing more: what the peer sends fills the buffers of both kernels, then waits at the peer. */
  stopReading(): void {
    this.#socket.pause();
  }

  /** Sends bytes without waiting. */
  send(bytes: Uint8Array | string): void {
    if (this.#end === undefined && !this.#socket.destroyed) this.#socket.write(bytes);
  }

  /** Sends bytes and waits until the kernel has them; false when the connection ended first. */
  sent(bytes: Uint8Array | string): Promise<boolean> {
    return new Promise(resolve => {
      if (this.#end !== undefined || this.#socket.destroyed) return resolve(false);
      const ended = () => resolve(false);
      this.#socket.once('close', ended);
      this.#socket.write(bytes, error => {
        this.#socket.off('close', ended);
        resolve(error === undefined || error === null);
      });
    });
  }

  /** Sends bytes in small pieces. Answers how many left before the peer ended the connection. */
  async drip(bytes: Uint8Array | string, options: DripOptions = {}): Promise<number> {
    const { pieceBytes = 1, intervalMs = 1 } = options;
    const all = Buffer.from(bytes);
    let at = 0;
    while (at < all.length && this.#end === undefined && !this.#finReceived) {
      if (!(await this.sent(all.subarray(at, at + pieceBytes)))) break;
      at += pieceBytes;
      if (at < all.length) await wait(intervalMs);
    }
    return Math.min(at, all.length);
  }

  /** Sends FIN: the peer sees the end of what it reads and may still answer. */
  halfClose(): void {
    this.#socket.end();
  }

  /**
   * Sends RST: the peer's next read or write fails with ECONNRESET. Resolves when it has left. After a half-close the
   * FIN leaves first: the kernel knows no reset of a connection that is being shut down.
   */
  async reset(): Promise<void> {
    if (this.#resetting) return;
    this.#resetting = true;
    this.#closedByUs = true;
    this.#end ??= 'own';
    const socket = this.#socket;
    if (socket.destroyed) return;
    if (socket.writableEnded && !socket.writableFinished) {
      await Promise.race([
        once(socket, 'finish').catch(() => {}),
        once(socket, 'close'),
        wait(SHUTDOWN_MS, undefined, { ref: false }),
      ]);
    }
    // What cannot be shut down, because the peer reads nothing, is closed.
    if (socket.writableEnded && !socket.writableFinished) socket.destroy();
    else socket.resetAndDestroy();
  }

  /** Closes both halves, unless a reset is under way. What was not read by then makes the kernel send RST. */
  destroy(): void {
    this.#closedByUs = true;
    this.#end ??= 'own';
    if (!this.#resetting) this.#socket.destroy();
  }

  /** Waits until the text that arrived fits. Rejects after `timeoutMs`, or when the connection ended before. */
  async until(pattern: RegExp, timeoutMs = 15_000): Promise<RegExpExecArray> {
    let match: RegExpExecArray | null = null;
    await eventually(
      `${pattern} in what arrived`,
      () => {
        match = pattern.exec(this.text);
        if (match === null && this.#end !== undefined) {
          throw new Error(
            `the connection ended (${this.#end}) before ${pattern}: ${this.text.slice(0, 2000)}`,
          );
        }
        return match !== null;
      },
      timeoutMs,
    );
    return match as unknown as RegExpExecArray;
  }

  /** Waits until these bytes have arrived. Rejects after `timeoutMs`, or when the connection ended before. */
  async untilBytes(bytes: Uint8Array, timeoutMs = 15_000): Promise<void> {
    const arrived = (): boolean => {
      if (this.#received.kept().includes(bytes)) return true;
      if (this.#end !== undefined)
        throw new Error(`the connection ended (${this.#end}) before the bytes came`);
      return false;
    };
    await eventually('the bytes arrive', arrived, timeoutMs);
  }

  /**
   * Takes the next whole HTTP response from what arrived; informational ones (1xx except 101) are skipped. Rejects
   * after `timeoutMs`, or when the connection ends before the response is whole.
   */
  async response(timeoutMs = 15_000): Promise<RawResponse> {
    let response: RawResponse | undefined;
    await eventually(
      'a whole response',
      () => {
        const over = this.#finReceived || this.#end !== undefined;
        const result = readResponse(this.#received.kept(), over);
        if (result !== undefined) {
          response = result.response;
          this.#received.drop(result.length);
          return true;
        }
        if (this.#end !== undefined) {
          throw new Error(
            `the connection ended (${this.#end}) before a whole response: ${this.text.slice(0, 2000)}`,
          );
        }
        if (this.#finReceived) throw new Error(`FIN before a whole response: ${this.text.slice(0, 2000)}`);
        return false;
      },
      timeoutMs,
    );
    return response as RawResponse;
  }

  /** Waits until the peer sends nothing more: FIN or RST. Rejects after `timeoutMs`. */
  async ended(timeoutMs = 15_000): Promise<SocketEnd> {
    await eventually(
      'the peer ends the connection',
      () => this.#finReceived || this.#end !== undefined,
      timeoutMs,
    );
    return this.#end ?? 'fin';
  }
}
