import { Socket } from 'node:net';
import type { Actor } from '../kernel/actor.ts';
import { SimulatorError } from '../kernel/kernel.ts';
import { refuse } from '../kernel/refuse.ts';
import { runningKernel } from '../kernel/running.ts';
import type { Pipe, Receiver } from './pipe.ts';
import { SocketBase } from './socket-base.ts';

/** An address of one end. */
export interface Address {
  readonly address: string;
  readonly port: number;
}

interface SocketOptions {
  readonly allowHalfOpen?: boolean;
  readonly actor?: Actor;
}

interface Ends {
  readonly incoming: Pipe;
  readonly outgoing: Pipe;
}

/**
 * One end of a connection, with what `net.Socket` has and the service and its clients use. It belongs to the actor that
 * made it; another one may not touch it.
 */
export class SimSocket extends SocketBase implements Receiver {
  readonly actor: Actor;
  connecting = true;
  bytesRead = 0;
  bytesWritten = 0;
  timeout = 0;
  localAddress: string | undefined;
  localPort: number | undefined;
  remoteAddress: string | undefined;
  remotePort: number | undefined;
  readonly remoteFamily = 'IPv4';
  #ends: Ends | undefined;
  /** What arrived while the reader did not read. */
  readonly #unread: Uint8Array[] = [];
  #reads = false;
  #afterUnread: (() => void) | undefined;
  #beforeConnect: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param actor of whom it is; default: the actor that runs */
  constructor({ allowHalfOpen = false, actor }: SocketOptions = {}) {
    super({ allowHalfOpen, autoDestroy: true });
    this.actor = actor ?? runningKernel('a socket').owner('a socket');
    this.actor.onKill.add(this.#lost);
  }

  /** Joins the two directions. */
  join(ends: Ends, local: Address, remote: Address): void {
    this.#ends = ends;
    ends.incoming.to(this);
    this.localAddress = local.address;
    this.localPort = local.port;
    this.remoteAddress = remote.address;
    this.remotePort = remote.port;
  }

  // What the network tells it:

  connected(): void {
    if (this.destroyed) return;
    this.connecting = false;
    this.emit('connect');
    this.emit('ready');
    const begin = this.#beforeConnect;
    this.#beforeConnect = undefined;
    begin?.();
  }

  arrived(bytes: Uint8Array): void {
    if (this.destroyed) {
      this.#ends?.outgoing.reset();
      return;
    }
    this.#active();
    this.#unread.push(bytes);
    if (this.#reads) this.#pass();
  }

  arrivedForNone(): void {
    this.#ends?.outgoing.reset();
  }

  ended(): void {
    if (this.destroyed) {
      this.actor.onKill.delete(this.#lost);
      return;
    }
    const end = (): void => {
      this.push(null);
    };
    if (this.#unread.length > 0) this.#afterUnread = end;
    else end();
  }

  failed(code: string): void {
    if (this.destroyed) {
      this.actor.onKill.delete(this.#lost);
      return;
    }
    const call = this.connecting ? 'connect' : 'read';
    this.destroy(Object.assign(new Error(`${call} ${code}`), { code, syscall: call }));
  }

  // What a stream does:

  override _read(): void {
    this.#reads = true;
    this.#pass();
  }

  #pass(): void {
    while (this.#reads) {
      const bytes = this.#unread.shift();
      if (bytes === undefined) break;
      this.bytesRead += bytes.length;
      this.#ends?.incoming.consumed(bytes.length);
      this.#reads = this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    }
    if (this.#unread.length > 0 || this.#afterUnread === undefined) return;
    const end = this.#afterUnread;
    this.#afterUnread = undefined;
    end();
  }

  override _write(chunk: Buffer, _encoding: string, callback: () => void): void {
    const kernel = runningKernel('a write');
    if (kernel.current !== this.actor) {
      const error = new SimulatorError(`${kernel.current?.name} writes to a socket of ${this.actor.name}`);
      kernel.stop(error); // a caller may catch it
      throw error;
    }
    this.#whenConnected(() => {
      this.#active();
      this.bytesWritten += chunk.length;
      this.#ends?.outgoing.write(chunk, callback);
    });
  }

  override _final(callback: () => void): void {
    this.#whenConnected(() => {
      this.#ends?.outgoing.end();
      callback();
    });
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    clearTimeout(this.#timer);
    const unread = this.#unread.length > 0 || this.readableLength > 0;
    const isReset = unread || error !== null;
    if (isReset) this.#ends?.outgoing.reset();
    else this.#ends?.outgoing.end();
    // The other end may still send to one that said FIN.
    if (isReset || this.#ends === undefined || this.readableEnded) this.actor.onKill.delete(this.#lost);
    callback(error);
  }

  /** Its process is gone: the kernel of the machine resets the connection. */
  readonly #lost = (): void => {
    if (this.destroyed) this.#ends?.incoming.receiverKilled();
    else this.#ends?.outgoing.reset();
  };

  #whenConnected(run: () => void): void {
    if (this.connecting) this.#beforeConnect = run;
    else run();
  }

  // What `net.Socket` has:

  resetAndDestroy(): this {
    this.#ends?.outgoing.reset();
    return this.destroy();
  }

  setTimeout(ms: number, callback?: () => void): this {
    this.timeout = ms;
    if (callback !== undefined && ms > 0) this.once('timeout', callback);
    else if (callback !== undefined) this.off('timeout', callback);
    this.#active();
    return this;
  }

  #active(): void {
    clearTimeout(this.#timer);
    if (this.timeout > 0 && !this.destroyed)
      this.#timer = setTimeout(() => this.emit('timeout'), this.timeout);
  }

  get pending(): boolean {
    return this.connecting;
  }

  get readyState(): string {
    if (this.connecting) return 'opening';
    if (this.readable && this.writable) return 'open';
    if (this.readable) return 'readOnly';
    return this.writable ? 'writeOnly' : 'closed';
  }

  address(): { address: string | undefined; port: number | undefined; family: string } {
    return { address: this.localAddress, port: this.localPort, family: this.remoteFamily };
  }
}

/** Members that every instance has. */
const OWN_PROPERTIES = new Set([
  'bytesRead',
  'bytesWritten',
  'connecting',
  'localAddress',
  'localPort',
  'remoteAddress',
  'remoteFamily',
  'remotePort',
  'timeout',
]);

// Members of `net.Socket` that are missing here are refused by name, not silently undefined.
for (const name of Object.getOwnPropertyNames(Socket.prototype)) {
  if (name.startsWith('_') || name in SimSocket.prototype || OWN_PROPERTIES.has(name)) continue;
  Object.defineProperty(SimSocket.prototype, name, { get: () => refuse(`net.Socket.${name}`) });
}
