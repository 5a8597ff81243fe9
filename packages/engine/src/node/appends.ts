import type { Clock } from '@msg/foundation/clock';
import { ChannelWindow, type WindowContext } from '../append/channel-window.ts';
import type {
  AppendCancel,
  AppendCommand,
  AppendedState,
  AppendOutcome,
  AppendResult,
  AppendState,
  AppendStore,
  CancelTarget,
} from '../append/contract.ts';
import { prepareAppend, requireAppendId, requireReason } from '../append/prepare.ts';
import { invalidAppend } from '../append/refusal.ts';
import type { Broker } from '../broker/contract.ts';
import type { StreamOptions } from '../stream/contract.ts';

/** What the append streams of a node need of it. */
interface AppendsContext {
  readonly broker: Broker;
  readonly clock: Clock;
  streamOptions(channel: string): StreamOptions;
}

/** From so many channels on, those are forgotten in which nothing is open. */
const MANY_CHANNELS = 1024;

/**
 * Append streams: a producer lets one message grow in a channel. Every method rejects with an `AppendRefused`, which says
 * what to do, or with the broker's error, after which the outcome is unknown: the same request may be repeated.
 */
export class Appends {
  readonly #context: AppendsContext;
  readonly #windowContext: WindowContext;
  readonly #windows = new Map<string, ChannelWindow>();
  #sweepAt = MANY_CHANNELS;

  constructor(context: AppendsContext) {
    this.#context = context;
    const { clock } = context;
    const streamOptions = (channel: string): StreamOptions => context.streamOptions(channel);
    this.#windowContext = { clock, streamOptions, store: () => this.#store() };
  }

  /**
   * Appends to a message, or opens it. The answer comes when it is stored: at the end of the turn after a quiet time, else
   * after the channel's window, so requests may be sent without waiting for each other.
   */
  append(channel: string, command: AppendCommand): Promise<AppendResult> {
    try {
      return this.#window(channel).append(prepareAppend(command));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** An ordinary publication came. */
  interrupted(channel: string): void {
    if (this.#windows.size > 0) this.#windows.get(channel)?.interrupted();
  }

  /** A state came. */
  appended(channel: string, state: AppendedState): void {
    this.#windows.get(channel)?.appended(state);
  }

  /** Stores what waits for its window. */
  finish(): void {
    for (const window of this.#windows.values()) window.finish();
  }

  /**
   * A message of the channel: by its id, else the open one, else the newest. Null: there is no message. Without
   * `withDocument` the document may be left out.
   */
  async state(
    channel: string,
    message: string | null = null,
    withDocument = true,
  ): Promise<AppendState | null> {
    if (message !== null) requireAppendId('message', message);
    return this.#store().state(channel, message, withDocument);
  }

  /** Lets the node hear of changes of a channel's message that other nodes make, until the returned function is called. */
  async watch(channel: string): Promise<() => void> {
    return (await this.#store().watch?.(channel)) ?? (() => {});
  }

  /**
   * Asks the producer of a message to stop. Null: the message that answers this input has not opened yet, and will be
   * cancelled when it does, within 60 s.
   */
  async cancel(
    channel: string,
    target: CancelTarget,
    { by = '', reason = '' }: Partial<Pick<AppendCancel, 'by' | 'reason'>> = {},
  ): Promise<AppendState | null> {
    const { message, input } = target;
    if (message !== undefined) requireAppendId('message', message);
    if (input !== undefined) requireAppendId('input', input);
    requireReason(reason);
    if (this.#context.streamOptions(channel).append === undefined)
      throw invalidAppend('the channel takes no append streams: its option append is off');
    return this.#store().cancel(channel, target, { by, reason, at: this.#context.clock.now() });
  }

  /** False: the broker has no append streams. */
  get available(): boolean {
    return this.#context.broker.appends !== undefined;
  }

  /** Claims the sink of an ended message: see {@link AppendStore.claimOutcome}. */
  async claimOutcome(channel: string, message: string): Promise<AppendOutcome | null> {
    return this.#store().claimOutcome(channel, message);
  }

  async storeOutcome(channel: string, message: string, outcome: AppendOutcome): Promise<void> {
    return this.#store().storeOutcome(channel, message, outcome);
  }

  #window(channel: string): ChannelWindow {
    let window = this.#windows.get(channel);
    if (window !== undefined) return window;
    if (this.#windows.size >= this.#sweepAt) this.#forgetIdle();
    window = new ChannelWindow(channel, this.#windowContext);
    this.#windows.set(channel, window);
    return window;
  }

  #forgetIdle(): void {
    for (const [channel, window] of this.#windows) if (window.isIdle) this.#windows.delete(channel);
    this.#sweepAt = Math.max(MANY_CHANNELS, this.#windows.size * 2);
  }

  #store(): AppendStore {
    const { appends } = this.#context.broker;
    if (appends === undefined) throw invalidAppend('this broker has no append streams');
    return appends;
  }
}
