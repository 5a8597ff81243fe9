import type { MessagePort } from 'node:worker_threads';
import type { Clock } from '@msg/foundation/clock';
import type { Bell } from './bell.ts';
import { CallChannel, type CallHandler } from './call-channel.ts';
import { type ErrorRow, isKnownError, type PackedError, packError, unpackError } from './error-rows.ts';
import { PendingRequests } from './pending-requests.ts';
import type { NumberedRecord } from './record.ts';
import { RecordChannel } from './record-channel.ts';
import { LinkBroken } from './ring-reader.ts';

/** Requests of one end at the same time (threads 3.2). */
const MOST_REQUESTS = 4096;
/** The answer of a request, and its refusal: kinds that no user of a link has. */
const REPLY = 1;
const REFUSAL = 2;
/** The first kind that is free for users of a link. */
export const FIRST_KIND = 16;

const EMPTY = new Uint8Array(0);

/** One end of a link as it is given to its thread: made by `createLink`. */
export interface LinkMemory {
  readonly incoming: SharedArrayBuffer;
  readonly outgoing: SharedArrayBuffer;
  readonly parcels: MessagePort;
  readonly calls: MessagePort;
  /** Bytes that may wait beside the outgoing ring. */
  readonly spillBytes: number;
  /** Records that the end reads in one turn. */
  readonly turnRecords: number;
}

/** How an end of a link runs. */
export interface LinkEndOptions {
  readonly clock: Clock;
  /** Errors that cross the link as what they are; equal at both ends. */
  readonly errors?: readonly ErrorRow[];
  /** Told of an error that the other end does not get, and of its own when a handler of events throws. */
  readonly onError?: (error: unknown) => void;
  /** Called when the two ends disagree; the link is closed then, and its thread has to be replaced. */
  readonly onBroken?: (error: Error) => void;
  readonly bell?: Bell;
}

/** Receives the records of a kind. For a request it answers the body of the reply. */
export type RecordHandler = (body: Uint8Array, record: NumberedRecord) => unknown;

/**
 * One end of a link between two threads (threads 3). Events, requests and answers of one end arrive in the order in which
 * it sent them. Nothing blocks and nothing grows without a bound.
 */
export class LinkEnd {
  readonly #errors: readonly ErrorRow[];
  readonly #onError: (error: unknown) => void;
  readonly #handlers: (RecordHandler | undefined)[] = [];
  readonly #pending: PendingRequests<Uint8Array>;
  readonly #records: RecordChannel;
  readonly #calls: CallChannel;
  readonly #parcels: MessagePort;
  readonly #roomCallbacks: (() => void)[] = [];

  constructor(memory: LinkMemory, options: LinkEndOptions) {
    const { clock, errors = [], onError = () => {}, onBroken = () => {}, bell } = options;
    this.#errors = errors;
    this.#onError = onError;
    this.#parcels = memory.parcels;
    this.#pending = new PendingRequests(clock, MOST_REQUESTS);
    this.#records = new RecordChannel(
      { ...memory, clock, bell },
      {
        record: record => this.#received(record),
        drained: () => this.#calls.recordsRead(),
        room: () => {
          for (const callback of this.#roomCallbacks) callback();
        },
        looked: () => {
          this.#pending.expire();
          this.#calls.expire();
        },
        broken: error => {
          this.close();
          onBroken(error);
        },
      },
    );
    this.#calls = new CallChannel({
      port: memory.calls,
      clock,
      errors,
      onError,
      sentSequence: () => this.#records.sentSequence,
      readSequence: () => this.#records.readSequence,
    });
  }

  /** Bells that were lost and repaired within half a second; wanted: 0. */
  get missedBells(): number {
    return this.#records.missedBells;
  }

  /** Bytes that wait for the other end, in the ring and beside it. */
  get waitingBytes(): number {
    return this.#records.waitingBytes;
  }

  /** Receives the records of a kind from {@link FIRST_KIND} on. */
  handle(kind: number, handler: RecordHandler): void {
    this.#handlers[kind] = handler;
  }

  handleCall(name: string, handler: CallHandler): void {
    this.#calls.handle(name, handler);
  }

  /** Calls back when half of the room for waiting records is free, after some were refused. */
  onRoom(callback: () => void): void {
    this.#roomCallbacks.push(callback);
  }

  /** Sends an event, whose body may change afterwards. False: it was refused, because the other end does not read. */
  post(kind: number, body: Uint8Array, flags = 0): boolean {
    return this.#records.send({ kind, flags, owner: 0, request: 0, body }, true);
  }

  /** As {@link post}, for the few events that must arrive: it is never refused. */
  postAlways(kind: number, body: Uint8Array, flags = 0): void {
    this.#records.send({ kind, flags, owner: 0, request: 0, body }, false);
  }

  /**
   * Sends a request; resolves to the body of the reply. Rejects with the error of the other end, `LinkBusy` when it was not
   * sent, or `LinkTimeout` when its outcome is unknown.
   */
  request(kind: number, body: Uint8Array, flags = 0): Promise<Uint8Array> {
    try {
      return this.#pending.ask(request => this.#records.send({ kind, flags, owner: 0, request, body }, true));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Calls a handler of the other end; for what is rare. Rejects as {@link request}. */
  call(name: string, argument?: unknown): Promise<unknown> {
    return this.#calls.call(name, argument);
  }

  /** Reads all that the other end has sent by now; false: that is not possible in this moment. */
  readNow(): boolean {
    return this.#records.readNow();
  }

  /** Reads what the other end had written before it ended. */
  readRest(): void {
    this.#records.readAll();
  }

  /** Ends both rings and both ports; what waits for an answer rejects. */
  close(): void {
    this.#records.close();
    this.#pending.close();
    this.#calls.close();
    this.#parcels.close();
  }

  #received(record: NumberedRecord): void {
    const { kind, request, body } = record;
    if (kind === REPLY) this.#pending.answered(request, body);
    else if (kind === REFUSAL) this.#pending.failed(request, this.#refusal(body));
    else this.#handleRecord(record);
  }

  #handleRecord(record: NumberedRecord): void {
    const handler = this.#handlers[record.kind];
    if (handler === undefined)
      throw new LinkBroken(`there is not a handler for records of kind ${record.kind}`);
    try {
      const result = handler(record.body, record);
      if (record.request === 0) return;
      if (result instanceof Uint8Array) this.#reply(record.request, REPLY, result);
      else void this.#replyLater(record.request, result);
    } catch (error) {
      this.#refuse(record.request, error);
    }
  }

  async #replyLater(request: number, result: unknown): Promise<void> {
    try {
      const body = await result;
      this.#reply(request, REPLY, body instanceof Uint8Array ? body : EMPTY);
    } catch (error) {
      this.#refuse(request, error);
    }
  }

  #refuse(request: number, error: unknown): void {
    const packed = packError(this.#errors, error);
    if (request === 0 || !isKnownError(packed)) this.#onError(error);
    if (request !== 0) this.#reply(request, REFUSAL, Buffer.from(JSON.stringify(packed)));
  }

  #reply(request: number, kind: number, body: Uint8Array): void {
    this.#records.send({ kind, flags: 0, owner: 0, request, body }, false);
  }

  #refusal(body: Uint8Array): Error {
    return unpackError(this.#errors, JSON.parse(Buffer.from(body).toString()) as PackedError);
  }
}
