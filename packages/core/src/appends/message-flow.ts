import type { Clock, Random } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { MsgCode } from '../codes.ts';
import { isMsgError, MsgError } from '../errors.ts';
import { keepAlive, type LiveWriter, watchState } from './liveness.ts';
import { OpQueue } from './op-queue.ts';
import type { AppendStreamOptions } from './options.ts';
import type {
  AppendPort,
  AppendStatus,
  WriterAnswer,
  WriterCancel,
  WriterOp,
  WriterSink,
  WriterState,
} from './port.ts';
import { type RequestHead, Sender } from './sender.ts';

const RETRY_FOR_MS = 60_000;
/** Refusals after which nothing else can be written, and what readers see of them at once, not as an orphan. */
const FAILED: Partial<Record<MsgCode, string>> = {
  MSG_APPEND_TOO_LARGE: 'too large',
  MSG_INVALID_ARGUMENT: 'refused',
};
/** Refusals of an end that may be about its sink. */
const OF_SINKS: readonly MsgCode[] = ['MSG_SINK_CONFIG_INVALID', 'MSG_INVALID_ARGUMENT'];

/** Where a writer goes on that takes a message over. */
export interface FlowStart {
  /** Number of the last operation. */
  readonly seq: number;
  /** Operations that make the same document; null: no operations can make it. */
  readonly before: readonly WriterOp[] | null;
}

export interface FlowParts {
  readonly port: AppendPort;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * The way of a message to the service: one request at a time, heartbeats, the next message when this one is full. It ends
 * with the message, or with the error that makes it impossible to go on.
 */
export class MessageFlow implements LiveWriter {
  /** Aborted when the message was cancelled, or cannot go on. The reason is a MsgError. */
  readonly stopped = new AbortController();
  isOpen: boolean;
  orphanMs: number;
  lastAnswerAt: number;
  answer: WriterAnswer | null = null;
  /** Why the message cannot go on. */
  error: MsgError | null = null;
  /** The producer has ended the message. */
  isEnding = false;
  /** Goes with the end. */
  sink: WriterSink | undefined;
  /** Why the end went without its sink. */
  sinkError: MsgError | null = null;
  /** Called when less waits than before, and when nothing will be sent any more. */
  onSent: () => void = () => {};
  readonly #parts: FlowParts;
  readonly #options: AppendStreamOptions;
  /** Aborted when the message is over: nothing is repeated or watched any more. */
  readonly #over = new AbortController();
  readonly #sender: Sender;
  #queue: OpQueue;
  #head: RequestHead;
  #rolls = 1;
  /** This writer ends the message and goes on in the next one: the end is seen by a read before its own answer comes. */
  #isRolling = false;
  #sending: Promise<void> | null = null;

  constructor(parts: FlowParts, options: AppendStreamOptions, start: FlowStart | undefined) {
    const { port, clock, random } = parts;
    const { message = random.uuid(), producer = random.uuid(), format = 'text' } = options;
    const { run, input, orphanTimeout: orphanMs, retryFor: retryForMs = RETRY_FOR_MS } = options;
    this.#parts = parts;
    this.#options = options;
    this.#queue = new OpQueue(start?.seq);
    this.isOpen = start !== undefined;
    this.orphanMs = orphanMs ?? 0;
    this.lastAnswerAt = clock.monotonic();
    const before = start === undefined ? [] : start.before;
    this.#sender = new Sender({ port, clock, random, retryForMs, signal: this.#over.signal, before });
    this.#head = { message, producer, format, ...defined({ run, input, orphanMs }) };
  }

  get message(): string {
    return this.#head.message;
  }

  get isSending(): boolean {
    return this.#sending !== null;
  }

  get waitingBytes(): number {
    return this.#queue.waitingBytes;
  }

  add(op: WriterOp): void {
    this.#queue.add(op);
  }

  /** Takes over a message that is open. @throws MsgError */
  async takeOver(): Promise<void> {
    this.#note(await this.#sender.send(this.#queue, { ...this.#head, takeOver: true }, true));
  }

  /** Keeps the message alive from now on. */
  live(): void {
    const { port, clock } = this.#parts;
    void keepAlive(this, clock, this.#over.signal);
    void watchState(this, port, clock, this.#over.signal);
  }

  /** Sends what waits; resolves when everything is stored. @throws MsgError why the message cannot go on */
  async send(): Promise<void> {
    // A heartbeat may be under way.
    while (!this.#queue.isEmpty && this.error === null) await this.#turn(() => this.#sendAll());
    if (this.error !== null) throw this.error;
  }

  heartbeat(): Promise<void> {
    return this.#turn(async () => {
      try {
        this.#note(await this.#sender.send(this.#queue, this.#head, true));
      } catch (error) {
        this.#lose(coded(error));
      }
    });
  }

  read({ status, producer, cancel, orphanMs }: WriterState): void {
    if (orphanMs > 0) this.orphanMs = orphanMs;
    if (cancel !== null) this.#cancelled(cancel);
    if (this.isEnding || this.#isRolling) return;
    const text = `producer ${producer} has the message`;
    if (status !== 'streaming') this.#endedElsewhere(status);
    else if (producer !== this.#head.producer)
      this.#lose(new MsgError('MSG_APPEND_FENCED', text, { meta: { producer } }));
  }

  /** One request at a time: joins the one under way, or begins. */
  #turn(work: () => Promise<void>): Promise<void> {
    this.#sending ??= work().finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    // What is written in the same turn goes together.
    await Promise.resolve();
    while (!this.#queue.isEmpty && this.error === null) {
      try {
        const head = { ...this.#head, ...defined({ orSink: this.sink }) };
        this.#note(await this.#sender.send(this.#queue, head));
      } catch (error) {
        await this.#refused(coded(error));
      }
      this.onSent();
    }
  }

  #note(answer: WriterAnswer): void {
    this.answer = answer;
    this.isOpen = true;
    this.lastAnswerAt = this.#parts.clock.monotonic();
    if (answer.cancel !== null) this.#cancelled(answer.cancel);
    if (answer.status === 'streaming') return;
    if (this.isEnding) this.#over.abort();
    else this.#endedElsewhere(answer.status);
  }

  async #refused(error: MsgError): Promise<void> {
    const { code } = error;
    if (this.sink !== undefined && OF_SINKS.includes(code)) {
      // The text is whole, whatever its sink says: the end goes without it.
      this.sink = undefined;
      this.sinkError = error;
      return;
    }
    const told = FAILED[code];
    if (told === undefined) return this.#lose(error);
    // A message that takes not even its first text cannot roll.
    const canRoll = code === 'MSG_APPEND_TOO_LARGE' && this.#options.onFull === 'roll';
    const hasText = this.#queue.acknowledged > 1;
    const rest = this.#queue.rest();
    try {
      if (canRoll && hasText) return await this.#roll(rest);
      this.#queue.add({ status: 'failed', reason: told });
      if (this.isOpen) await this.#sender.send(this.#queue, this.#head);
    } catch {
      // The first error is the reason.
    }
    this.#lose(error);
  }

  /** Ends the message, and goes on with what it did not take in the next one. */
  async #roll(rest: OpQueue): Promise<void> {
    const first = this.#options.message ?? this.message.replace(/~\d+$/, '');
    const next = `${first}~${++this.#rolls}`;
    const full = this.#queue;
    // What is written meanwhile is for the next message.
    this.#queue = rest;
    full.add({ status: 'complete', reason: `continued in ${next}` });
    this.#isRolling = true;
    try {
      await this.#sender.send(full, this.#head);
    } finally {
      this.#isRolling = false;
    }
    this.#head = { ...this.#head, message: next };
    this.isOpen = false;
  }

  #cancelled({ by, reason }: WriterCancel): void {
    if (this.stopped.signal.aborted) return;
    const text = by === '' ? 'the message was cancelled' : `the message was cancelled by ${by}`;
    this.stopped.abort(
      new MsgError('MSG_APPEND_CLOSED', text, { reason: 'cancelled', meta: { by, reason } }),
    );
  }

  #endedElsewhere(status: AppendStatus): void {
    const text = `message ${this.message} has ended as ${status}`;
    this.#lose(new MsgError('MSG_APPEND_CLOSED', text, { meta: { status } }));
  }

  #lose(error: MsgError): void {
    this.error ??= error;
    if (!this.stopped.signal.aborted) this.stopped.abort(error);
    this.#over.abort();
    this.onSent();
  }
}

function coded(error: unknown): MsgError {
  return isMsgError(error) ? error : new MsgError('MSG_INTERNAL', 'the message is lost', { cause: error });
}
