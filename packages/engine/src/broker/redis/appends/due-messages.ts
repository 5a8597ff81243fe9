import type { TimerHandle } from '@msg/foundation/clock';
import type { AppendEnd, AppendEnder, FinalStatus } from '../../../append/contract.ts';
import type { AppendScripts } from './append-scripts.ts';
import { endRecord } from './requests.ts';
import { END, FORGET_DUE, textsOf } from './scripts.ts';

/** How often the list of open messages is looked through, milliseconds, with a jitter of the same length. */
const SWEEP_MS = 15_000;
/** Channels of one look. */
const SWEEP_CHANNELS = 256;
/** Shortest orphan timeout: no message is due before, milliseconds. */
const FIRST_LOOK_MS = 5000;
/** A timer looks so much later than the store's clock demands, milliseconds. */
const MARGIN_MS = 20;

/** What became of a look at an open message: how long it has left, or null when none is open. */
type Look = number | null;

/**
 * Ends messages whose producers are silent. There is no leader: every node looks at the messages that it copies, and through the
 * list of all of them, and the store's script ends each exactly once (append streams 6.1).
 */
export class DueMessages {
  readonly #scripts: AppendScripts;
  readonly #flushed: (channel: string, end: AppendEnd) => void;
  readonly #onError: (error: unknown) => void;
  readonly #timers = new Map<
    string,
    { readonly message: string; readonly timer: TimerHandle; readonly at: number }
  >();
  #sweep: TimerHandle | null = null;

  constructor(
    scripts: AppendScripts,
    flushed: (channel: string, end: AppendEnd) => void,
    onError: (error: unknown) => void,
  ) {
    this.#scripts = scripts;
    this.#flushed = flushed;
    this.#onError = onError;
  }

  start(): void {
    const { clock, random } = this.#scripts;
    const delay = SWEEP_MS * (1 + random.fraction());
    this.#sweep = clock.setTimeout(() => {
      this.#lookThrough()
        .catch(this.#onError)
        .finally(() => {
          if (this.#sweep !== null) this.start();
        });
    }, delay);
  }

  stop(): void {
    const { clock } = this.#scripts;
    if (this.#sweep !== null) clock.clearTimeout(this.#sweep);
    this.#sweep = null;
    for (const channel of [...this.#timers.keys()]) this.unwatch(channel);
  }

  /** Looks at the message of a channel after a time, and again until it has ended. */
  watch(channel: string, message: string, afterMs = FIRST_LOOK_MS): void {
    const { clock } = this.#scripts;
    const at = clock.monotonic() + afterMs;
    const watch = this.#timers.get(channel);
    if (watch !== undefined && watch.message === message && watch.at <= at) return;
    this.unwatch(channel);
    const timer = clock.setTimeout(() => {
      this.#timers.delete(channel);
      this.end(channel, message).then(
        left => {
          if (left !== null) this.watch(channel, message, left + MARGIN_MS);
        },
        error => {
          this.#onError(error);
          this.watch(channel, message);
        },
      );
    }, afterMs);
    this.#timers.set(channel, { message, timer, at });
  }

  unwatch(channel: string): void {
    const watch = this.#timers.get(channel);
    if (watch === undefined) return;
    this.#scripts.clock.clearTimeout(watch.timer);
    this.#timers.delete(channel);
  }

  /** Notes when the message of a channel that has just opened is due. */
  opened(channel: string, deadline: number): void {
    this.#note(channel, deadline).catch(this.#onError);
  }

  /** Ends the message of a channel if its time has come. */
  async end(channel: string, message: string): Promise<Look> {
    const { keys, command, clock } = this.#scripts;
    const record = (status: FinalStatus): Uint8Array => endRecord(message, status, clock.now());
    const args = [keys.messages(channel), command, record('cancelled'), record('failed'), message];
    const [name, first = '', second = ''] = textsOf(await this.#scripts.run(END, channel, args));
    if (name === 'ended') this.#flushed(channel, { status: first as FinalStatus, by: second as AppendEnder });
    if (name !== 'open') return null;
    const left = Number(second);
    return first !== message && left <= 0 ? this.end(channel, first) : left;
  }

  async #lookThrough(): Promise<void> {
    const { store, keys } = this.#scripts;
    // The times are the store's: those that come first are looked at, until one is not due.
    const answer = await store.call('ZRANGE', keys.due, 0, SWEEP_CHANNELS - 1, 'WITHSCORES');
    // The library pairs members and scores.
    const entries = textsOf((answer as readonly unknown[]).flat());
    for (let at = 0; at + 1 < entries.length; at += 2) {
      const [channel, score] = [entries[at] as string, entries[at + 1] as string];
      const left = await this.end(channel, '');
      if (left === null) await store.run(FORGET_DUE, [keys.due], [channel, score]);
      else await this.#note(channel, Number(score) + left);
    }
  }

  async #note(channel: string, deadline: number): Promise<void> {
    const { store, keys } = this.#scripts;
    await store.call('ZADD', keys.due, deadline, channel);
  }
}
