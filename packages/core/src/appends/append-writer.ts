/// <reference lib="esnext.disposable" preserve="true" />
import { type Clock, type Random, systemClock, systemRandom } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { MsgError } from '../errors.ts';
import { payloadBytes } from '../payload.ts';
import { type FlowStart, MessageFlow } from './message-flow.ts';
import { textParts } from './op-queue.ts';
import type { AppendStreamOptions, AppendStreamResult, CompleteOptions, Written } from './options.ts';
import { type PipeOptions, pipeInto, type WrittenSource } from './pipe.ts';
import type { AppendEnd, AppendPort } from './port.ts';
import { TextJoiner } from './text-joiner.ts';

/** Above so many bytes that were not sent, a write waits. */
const HIGH_WATER_BYTES = 65_536;

/** What a writer needs besides its options. */
export interface AppendWriterParts {
  readonly port: AppendPort;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** The text or the items of a message at the moment when another worker took it over. */
export interface ResumedContent {
  readonly text: string;
  readonly items: readonly unknown[];
}

/** Where a writer goes on that takes a message over. */
export interface ResumePoint extends ResumedContent, FlowStart {}

/**
 * Lets one message of an append stream grow. One request is under way at a time, and what is written meanwhile goes with
 * the next one; requests are repeated until they are stored. Source: append streams 5.3 and 6.3.
 */
export class AppendWriter {
  /** Aborts when the message was cancelled, taken over, ended by the service, or is lost. The reason is a MsgError. */
  readonly signal: AbortSignal;
  /** What was there when this writer took the message over; null: it opened the message. */
  readonly resumed: ResumedContent | null;
  readonly #options: AppendStreamOptions;
  readonly #flow: MessageFlow;
  readonly #joiner = new TextJoiner();
  /** Those who wait until less waits to be sent. */
  #held: (() => void)[] = [];

  constructor(parts: AppendWriterParts, options: AppendStreamOptions, resume?: ResumePoint) {
    const { port, clock = systemClock, random = systemRandom } = parts;
    this.#options = options;
    this.#flow = new MessageFlow({ port, clock, random }, options, resume);
    this.#flow.onSent = () => this.#release();
    this.signal = this.#flow.stopped.signal;
    this.resumed = resume === undefined ? null : { text: resume.text, items: resume.items };
  }

  /** Id of the message, which changes when it rolls. */
  get message(): string {
    return this.#flow.message;
  }

  /** Nothing ended the message yet, and nothing is wrong. */
  get isGoing(): boolean {
    return this.#flow.error === null && !this.#flow.isEnding;
  }

  /** Opens the message, or takes it over. @throws MsgError what the service refused it with */
  async open(): Promise<this> {
    const flow = this.#flow;
    const { meta, format } = this.#options;
    if (flow.isOpen) await flow.takeOver();
    else {
      if (meta !== undefined) flow.add({ meta: payloadBytes(meta, 'meta') });
      // A list of items opens with its first one.
      else if (format !== 'items') flow.add({ text: '' });
      await flow.send();
    }
    flow.live();
    return this;
  }

  /**
   * Adds text or an item; resolves when little enough waits to be sent.
   * @throws MsgError MSG_APPEND_CLOSED after an end; why the message cannot go on
   */
  async write(written: Written): Promise<void> {
    this.#requireGoing();
    const flow = this.#flow;
    if (typeof written === 'string' || written instanceof Uint8Array)
      this.#addText(this.#joiner.add(written));
    else {
      this.#addText(this.#joiner.end());
      flow.add({ item: payloadBytes(written.item, 'item'), ...defined({ open: written.open }) });
    }
    flow.send().catch(() => {}); // the next write has the error
    while (flow.waitingBytes > HIGH_WATER_BYTES && flow.error === null)
      await new Promise<void>(resolve => this.#held.push(resolve));
    if (flow.error !== null) throw flow.error;
  }

  /**
   * Ends the message as complete, after everything that was written. An end whose sink is refused is stored without it.
   * @throws MsgError as {@link write}; the refusal of the sink, when the message has ended
   */
  async complete({ reason = '', meta, orSink }: CompleteOptions = {}): Promise<AppendStreamResult> {
    this.#requireGoing();
    this.#flow.sink = orSink;
    return this.#finish('complete', reason, meta);
  }

  /** Ends the message as cancelled. @throws MsgError as {@link write} */
  cancel(reason = ''): Promise<AppendStreamResult> {
    return this.#finish('cancelled', reason);
  }

  /** Ends the message as failed; the readers see the reason. @throws MsgError as {@link write} */
  fail(reason = ''): Promise<AppendStreamResult> {
    return this.#finish('failed', reason);
  }

  /**
   * Writes everything that a source yields, and ends the message as the source ends: `complete`, or `failed` when it
   * throws. When the message is cancelled, or `signal` aborts, it stops reading and ends it as `cancelled`.
   * @throws the error of the source, and MsgError as {@link write}
   */
  pipe(source: WrittenSource, options: PipeOptions = {}): Promise<AppendStreamResult> {
    return pipeInto(this, source, options);
  }

  /** The same as a WritableStream: `close` completes the message, `abort` ends it as failed. */
  get writable(): WritableStream<Written> {
    return new WritableStream<Written>({
      write: chunk => this.write(chunk),
      close: () => this.complete().then(() => {}),
      abort: () => this.fail('aborted').then(() => {}),
    });
  }

  /** Leaving a block without an end is a failure: `abandoned`. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isGoing) await this.fail('abandoned').catch(() => {}); // the block has its own error
  }

  #addText(text: string): void {
    for (const part of textParts(text)) this.#flow.add({ text: part });
  }

  async #finish(status: AppendEnd, reason: string, meta?: object): Promise<AppendStreamResult> {
    this.#requireGoing();
    const flow = this.#flow;
    this.#addText(this.#joiner.end());
    if (meta !== undefined) flow.add({ meta: payloadBytes(meta, 'meta') });
    flow.isEnding = true;
    flow.add({ status, reason });
    await flow.send();
    if (flow.sinkError !== null) throw flow.sinkError;
    if (flow.answer === null) throw new MsgError('MSG_INTERNAL', 'the end was not answered');
    const { seq, size, offset, epoch, outcome, status: ended } = flow.answer;
    return {
      message: this.message,
      status: ended,
      reason,
      seq,
      size,
      offset,
      epoch,
      ...defined({ outcome }),
    };
  }

  #requireGoing(): void {
    const { error, isEnding } = this.#flow;
    if (error !== null) throw error;
    if (isEnding) throw new MsgError('MSG_APPEND_CLOSED', `message ${this.message} has ended`);
  }

  #release(): void {
    if (this.#flow.waitingBytes > HIGH_WATER_BYTES && this.#flow.error === null) return;
    for (const resolve of this.#held.splice(0)) resolve();
  }
}
