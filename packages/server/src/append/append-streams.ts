import { type ManifestPayload, MsgError } from '@msg/core';
import { formatDuration } from '@msg/core/internal';
import type {
  AppendCommand,
  AppendOutcome,
  AppendResult,
  AppendState,
  CancelTarget,
  RealtimeNode,
} from '@msg/engine';
import type { Clock } from '@msg/foundation/clock';
import type { ChannelOptionRules } from '../channels/channel-options.ts';
import type { ChannelManager } from '../channels/manager.ts';
import type { PublishCaller } from '../publishing/publication.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';
import type { SchemaValidator } from '../schemas/validation.ts';
import type { AppendCounts } from './counts.ts';
import type { AppendSink, AppendSinks } from './or-sink.ts';
import { appendFailed } from './refusals.ts';
import { checkAppend } from './schema-check.ts';
import { type AppendSeats, type AppendWait, AppendWaits } from './waits.ts';

/** Longest wait of a read, milliseconds. */
const MAX_WAIT_MS = 25_000;

/** The answer to a request to append. */
export interface AppendAnswer extends AppendResult {
  /** Of the sink of an end. */
  readonly outcome?: AppendOutcome;
}

/** Which message is read, and how long the answer may wait. */
export interface AppendQuery {
  /** Absent: the open one, else the newest. */
  readonly message?: string | undefined;
  /** The answer waits so long for the end, a cancel or another producer, milliseconds. */
  readonly waitMs?: number;
  /** Default true. */
  readonly withDocument?: boolean;
  /** A writer of this process: its wait does not count among those of others. */
  readonly isWriter?: boolean;
}

export interface AppendStreamsParts {
  readonly node: () => Pick<
    RealtimeNode,
    'operational' | 'appends' | 'append' | 'appendState' | 'cancelAppend'
  >;
  readonly channels: Pick<ChannelManager, 'openForUse' | 'requireKnown' | 'noteActivity'>;
  readonly rules: Pick<ChannelOptionRules, 'of' | 'ofPattern' | 'appending'>;
  readonly limits: Pick<RateLimits, 'take'>;
  readonly schemas: Pick<SchemaValidator, 'check' | 'checks'>;
  readonly sinks: AppendSinks;
  readonly counts: AppendCounts;
  readonly seats: AppendSeats;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/**
 * Append streams of the service: a producer lets one message grow in a channel. Requests may be repeated: their
 * operations have numbers. Source: append streams.
 */
export class AppendStreams {
  readonly #parts: AppendStreamsParts;
  readonly #waits = new AppendWaits();
  #isStopped = false;

  constructor(parts: AppendStreamsParts) {
    this.#parts = parts;
  }

  /**
   * As {@link append}, for a caller of the RPC. `read` checks the shape of the request, which comes after the channel.
   * @throws MsgError MSG_RATE_LIMITED
   */
  async appendForCaller(
    { principal, clientAddress }: PublishCaller,
    channel: string,
    hasOperations: boolean,
    read: () => AppendCommand,
    sink?: AppendSink,
  ): Promise<AppendAnswer> {
    const { counts, limits } = this.#parts;
    const token = principal.kind === 'anonymous' ? null : principal.token;
    const permit = hasOperations ? limits.take('append', token?.subject || clientAddress, token) : undefined;
    await permit?.catch((error: unknown) => {
      counts.refused(error);
      throw error;
    });
    return this.#append(channel, read, sink);
  }

  /**
   * Appends to a message, or opens it; the answer comes when it is stored.
   * @throws MsgError MSG_APPEND_NOT_FOUND, MSG_APPEND_GAP, MSG_APPEND_BUSY, MSG_APPEND_FENCED, MSG_APPEND_CLOSED,
   * MSG_APPEND_TOO_LARGE, each with what helps in `meta`; MSG_INVALID_ARGUMENT, MSG_CHANNEL_INVALID,
   * MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED, MSG_BROKER_NOT_READY, MSG_BROKER_INTERNAL
   */
  append(channel: string, command: AppendCommand, sink?: AppendSink): Promise<AppendAnswer> {
    return this.#append(channel, () => command, sink);
  }

  async #append(channel: string, read: () => AppendCommand, sink?: AppendSink): Promise<AppendAnswer> {
    const { node, channels, counts, clock, onError, sinks } = this.#parts;
    const start = clock.monotonic();
    try {
      await channels.openForUse(channel);
      this.#requireAppends(channel);
      const command = read();
      if (sink !== undefined) await sinks.require(channel, command, sink);
      await this.#checkSchema(channel, command);
      const result = await node().append(channel, command).catch(appendFailed);
      counts.applied(command, result, (clock.monotonic() - start) / 1000);
      Promise.resolve(channels.noteActivity(channel)).catch(onError);
      if (command.takeOver === true) this.#waits.wake(channel);
      return sink === undefined
        ? result
        : { ...result, outcome: await sinks.settle(channel, command.message, sink) };
    } catch (error) {
      counts.refused(error);
      throw error;
    }
  }

  /**
   * A message of a channel. With `waitMs` the answer waits until the message ends, is cancelled or gets another producer.
   * @throws MsgError MSG_APPEND_NOT_FOUND, and those of {@link append} about channels
   */
  async state(channel: string, query: AppendQuery = {}): Promise<AppendState> {
    await this.#parts.channels.requireKnown(channel);
    const { waitMs = 0 } = query;
    if (waitMs <= 0) return this.#read(channel, query);
    this.#requireAppends(channel);
    const leave = query.isWriter === true ? () => {} : await this.#parts.seats.take(channel);
    if (leave === undefined) return this.#read(channel, query);
    let unwatch: (() => void) | undefined;
    try {
      // From before the first read on, so that no change is missed.
      unwatch = await this.#parts.node().appends.watch(channel).catch(appendFailed);
      return await this.#changed(channel, query, waitMs);
    } finally {
      unwatch?.();
      leave();
    }
  }

  /** The message when it has ended, is cancelled or has another producer, or when the time is over. */
  async #changed(channel: string, query: AppendQuery, waitMs: number): Promise<AppendState> {
    const { clock } = this.#parts;
    const end = clock.monotonic() + Math.min(waitMs, MAX_WAIT_MS);
    let first: AppendState | null = null;
    for (;;) {
      const wait = this.#waits.next(channel);
      try {
        const message = first?.message ?? query.message;
        const state = await this.#read(channel, { ...query, message });
        first ??= state;
        const isOver =
          state.status !== 'streaming' || state.cancel !== null || state.producer !== first.producer;
        const left = end - clock.monotonic();
        if (isOver || left <= 0) return state;
        await this.#happens(wait, left);
        if (this.#isStopped) return state;
      } finally {
        wait.forget();
      }
    }
  }

  /**
   * Asks the producer of a message to stop; null: the message that answers this input has not opened yet.
   * @throws MsgError MSG_APPEND_NOT_FOUND, MSG_RATE_LIMITED when too many wait, and those of {@link append} about channels
   */
  async cancel(
    channel: string,
    target: CancelTarget,
    request: { readonly by: string; readonly reason: string },
  ): Promise<AppendState | null> {
    await this.#parts.channels.openForUse(channel);
    this.#requireAppends(channel);
    const state = await this.#parts.node().cancelAppend(channel, target, request).catch(appendFailed);
    this.#waits.wake(channel);
    return state;
  }

  /** The append streams of the most general rule in the form of the manifest; absent: no channel has append streams. */
  manifest(): ManifestPayload['append'] {
    const { rules } = this.#parts;
    const [pattern] = rules.appending;
    if (pattern === undefined) return undefined;
    const { appendMaxBytes, appendWindowMs, appendFullWindowMs, appendOrphanMs } = rules.ofPattern(pattern);
    return {
      max_bytes: appendMaxBytes,
      window: formatDuration(appendWindowMs),
      full_window: formatDuration(appendFullWindowMs),
      orphan_timeout: formatDuration(appendOrphanMs),
    };
  }

  /** The channel was opened, closed or deleted, or its message was ended, cancelled or taken over. */
  lookAgain(channel: string): void {
    this.#waits.wake(channel);
  }

  /** Answers those who wait: the service stops. */
  stop(): void {
    this.#isStopped = true;
    this.#waits.wakeAll();
  }

  async #read(channel: string, { message, withDocument }: AppendQuery): Promise<AppendState> {
    this.#requireAppends(channel);
    const state = await this.#parts
      .node()
      .appendState(channel, message ?? null, withDocument)
      .catch(appendFailed);
    if (state !== null) return state;
    const what = message === undefined ? 'no message' : `no message ${message}`;
    throw new MsgError('MSG_APPEND_NOT_FOUND', `${what} in ${channel}`);
  }

  /** Waits until something happens to the message, the time is over or the service stops. */
  async #happens({ happened }: AppendWait, ms: number): Promise<void> {
    if (this.#isStopped) return;
    const { clock } = this.#parts;
    await new Promise<void>(resolve => {
      const timer = clock.setTimeout(resolve, ms);
      void happened.then(() => {
        clock.clearTimeout(timer);
        resolve();
      });
    });
  }

  #requireAppends(channel: string): void {
    const { node, rules } = this.#parts;
    if (!node().operational) throw new MsgError('MSG_BROKER_NOT_READY', 'the broker is not running');
    if (rules.of(channel).stream.append !== undefined) return;
    const text = `${channel} takes no append streams: its channel option append is off`;
    throw new MsgError('MSG_INVALID_ARGUMENT', text);
  }

  async #checkSchema(channel: string, command: AppendCommand): Promise<void> {
    const { schemas, node } = this.#parts;
    if (command.ops.length === 0 || !schemas.checks(channel)) return;
    const state = await node().appendState(channel, command.message, false).catch(appendFailed);
    checkAppend(schemas, channel, command, state);
  }
}
