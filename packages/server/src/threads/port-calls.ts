import { MsgError } from '@msg/core';
import type { ErrorRow } from '@msg/engine/threads';

/** What both ends of a pair of ports can do. */
interface CallPort {
  postMessage(message: unknown, transferList?: readonly unknown[]): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** Carries out a call of the other end; argument and answer can be cloned. */
export type PortHandler = (argument: never) => unknown;

type Message =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly argument: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: PortError };

interface PortError {
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Options of {@link PortCalls}. */
export interface PortCallsOptions {
  readonly port: CallPort;
  /** Errors that cross as what they are, equal at both ends; others become MSG_INTERNAL. */
  readonly errors: readonly ErrorRow[];
  /** Told of errors that the other end gets as MSG_INTERNAL. */
  readonly onError: (error: unknown) => void;
}

/**
 * Calls between main and a thread that are rare, or take longer than an answer of a store may: starting, draining, sinks,
 * code of the embedder.
 */
export class PortCalls {
  readonly #options: PortCallsOptions;
  readonly #handlers = new Map<string, PortHandler>();
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #isClosed = false;

  constructor(options: PortCallsOptions) {
    this.#options = options;
    options.port.on('message', message => this.#received(message as Message));
  }

  handle(name: string, handler: PortHandler): void {
    this.#handlers.set(name, handler);
  }

  /** Rejects with the error of the other end, and with MSG_BROKER_NOT_READY when it ends without an answer. */
  call(name: string, argument?: unknown): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(ended());
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#post({ kind: 'call', id, name, argument });
    });
  }

  /** Calls without an answer. */
  send(name: string, argument?: unknown, transferList: readonly unknown[] = []): void {
    if (this.#isClosed) throw ended();
    this.#options.port.postMessage({ kind: 'call', id: 0, name, argument }, transferList);
  }

  /** The other end has gone: what waits for an answer rejects. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.values()) reject(ended());
    this.#waiting.clear();
  }

  #received(message: Message): void {
    if (message.kind === 'call') {
      void this.#carryOut(message);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === 'answer') waiting?.resolve(message.value);
    else waiting?.reject(this.#unpacked(message.error));
  }

  async #carryOut({ id, name, argument }: Message & { kind: 'call' }): Promise<void> {
    try {
      const handler = this.#handlers.get(name);
      if (handler === undefined) throw new TypeError(`no handler for the call ${name}`);
      const value = await handler(argument as never);
      if (id !== 0) this.#post({ kind: 'answer', id, value });
    } catch (error) {
      const packed = this.#packed(error);
      if (packed.name === '' || id === 0) this.#options.onError(error);
      if (id !== 0) this.#post({ kind: 'error', id, error: packed });
    }
  }

  #packed(error: unknown): PortError {
    for (const { name, pack } of this.#options.errors) {
      const value = pack(error as Error);
      if (value !== null) return { name, value };
    }
    return { name: '', value: {} };
  }

  #unpacked({ name, value }: PortError): Error {
    const row = this.#options.errors.find(candidate => candidate.name === name);
    return row?.unpack(value) ?? new MsgError('MSG_INTERNAL', 'the call failed on another thread');
  }

  #post(message: Message): void {
    this.#options.port.postMessage(message);
  }
}

function ended(): MsgError {
  return new MsgError('MSG_BROKER_NOT_READY', 'the thread that was asked has ended');
}
