import type { MessagePort } from 'node:worker_threads';
import type { Clock } from '@msg/foundation/clock';
import { type ErrorRow, isKnownError, type PackedError, packError, unpackError } from './error-rows.ts';
import { PendingRequests } from './pending-requests.ts';

/** Calls of one end at the same time (threads 3.2). */
const MOST_CALLS = 1024;

/** Carries out a call of the other end. Arguments and result can be cloned. */
export type CallHandler = (argument: never) => unknown;

interface CallMessage {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
  /** Number of the last record that was sent before. */
  readonly after: number;
}

type AnswerMessage = { readonly id: number; readonly after: number } & (
  | { readonly result: unknown }
  | { readonly error: PackedError }
);

/** What a {@link CallChannel} needs of its link. */
export interface CallPort {
  readonly port: MessagePort;
  readonly clock: Clock;
  readonly errors: readonly ErrorRow[];
  /** Number of the last record that this end sent, and of the last one that it read. */
  sentSequence(): number;
  readSequence(): number;
  /** Told of an error of a handler that no row describes. */
  onError(error: unknown): void;
}

/**
 * Calls and their answers, as structured clones (threads 3.1). A message takes effect after the records that its sender
 * sent before it, so calls and records have one order.
 */
export class CallChannel {
  readonly #link: CallPort;
  readonly #pending: PendingRequests<unknown>;
  readonly #handlers = new Map<string, CallHandler>();
  /** Messages that came before the records they follow. */
  #early: (CallMessage | AnswerMessage)[] = [];

  constructor(link: CallPort) {
    this.#link = link;
    this.#pending = new PendingRequests(link.clock, MOST_CALLS);
    link.port.on('message', (message: CallMessage | AnswerMessage) => {
      if (this.#early.length > 0 || !this.#isDue(message)) this.#early.push(message);
      else this.#received(message);
    });
  }

  handle(name: string, handler: CallHandler): void {
    this.#handlers.set(name, handler);
  }

  /** Calls the other end. Rejects with its error, or when it does not answer. */
  async call(name: string, argument: unknown): Promise<unknown> {
    return this.#pending.ask(id => {
      this.#post({ id, name, argument, after: this.#link.sentSequence() });
      return true;
    });
  }

  /** Records were read: messages that waited for them may be due. */
  recordsRead(): void {
    while (this.#early[0] !== undefined && this.#isDue(this.#early[0]))
      this.#received(this.#early.shift() as CallMessage | AnswerMessage);
  }

  expire(): void {
    this.#pending.expire();
  }

  close(): void {
    this.#pending.close();
    this.#link.port.close();
  }

  #isDue({ after }: CallMessage | AnswerMessage): boolean {
    return ((this.#link.readSequence() - after) | 0) >= 0;
  }

  #received(message: CallMessage | AnswerMessage): void {
    if ('name' in message) void this.#carryOut(message);
    else if ('error' in message)
      this.#pending.failed(message.id, unpackError(this.#link.errors, message.error));
    else this.#pending.answered(message.id, message.result);
  }

  async #carryOut({ id, name, argument }: CallMessage): Promise<void> {
    try {
      const handler = this.#handlers.get(name);
      if (handler === undefined) throw new TypeError(`no handler for the call ${name}`);
      const result = await handler(argument as never);
      this.#post({ id, result, after: this.#link.sentSequence() });
    } catch (error) {
      const packed = packError(this.#link.errors, error);
      if (!isKnownError(packed)) this.#link.onError(error);
      this.#post({ id, error: packed, after: this.#link.sentSequence() });
    }
  }

  #post(message: CallMessage | AnswerMessage): void {
    this.#link.port.postMessage(message);
  }
}
