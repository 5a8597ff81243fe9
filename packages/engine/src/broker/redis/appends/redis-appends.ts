import { CLAIM_MS, EARLY_CANCEL_MS, MAX_EARLY_CANCELS } from '../../../append/bounds.ts';
import { cancelReason } from '../../../append/cancel-reason.ts';
import type {
  AppendCancel,
  AppendEnd,
  AppendingOptions,
  AppendOutcome,
  AppendState,
  AppendStore,
  CancelTarget,
  MirrorFigures,
  PreparedAppend,
  StoredAppend,
} from '../../../append/contract.ts';
import { AppendRefused, tooManyCancels } from '../../../append/refusal.ts';
import { requireAppends } from '../../../append/require-appends.ts';
import type { HistoryFilter, HistoryResult, StreamOptions } from '../../contract.ts';
import { AppendReads } from './append-reads.ts';
import { AppendScripts, type AppendScriptsOptions } from './append-scripts.ts';
import { DueMessages } from './due-messages.ts';
import { type MirrorEvents, Mirrors } from './mirrors.ts';
import {
  type AppliedAppend,
  appendArguments,
  appendResult,
  isOpening,
  packedCancel,
  refusalOf,
  textArguments,
  textResult,
} from './requests.ts';
import { APPEND, APPEND_TEXT, CANCEL, OUTCOME, STATE, textsOf } from './scripts.ts';
import { endedState, openState } from './stored-messages.ts';

/** A cancelled message is looked at when its producer's time is over, milliseconds. */
const CANCEL_LOOK_MS = 5050;
/** Channels that are known to have append streams. */
const MAX_KNOWN = 10_000;

export interface RedisAppendsOptions extends AppendScriptsOptions {
  readonly events: Omit<MirrorEvents, 'copied'> & {
    flushed(channel: string, end: AppendEnd | null): void;
  };
  /** Watches the messages of a channel; the promise's function ends that. */
  readonly watch: (channel: string) => Promise<() => void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Append streams in Redis (append streams 9.1): the store alone decides numbers and times, in one atomic step per request. No
 * command is repeated: after a failure it is unknown whether Redis executed it.
 */
export class RedisAppends implements AppendStore {
  readonly mirrors: Mirrors & MirrorFigures;
  readonly watch: (channel: string) => Promise<() => void>;
  readonly #scripts: AppendScripts;
  readonly #events: RedisAppendsOptions['events'];
  readonly #due: DueMessages;
  readonly #reads: AppendReads;
  readonly #known = new Set<string>();

  constructor({ events, watch, onError, ...options }: RedisAppendsOptions) {
    this.watch = watch;
    this.#events = events;
    this.#scripts = new AppendScripts(options);
    this.#due = new DueMessages(this.#scripts, (channel, end) => events.flushed(channel, end), onError);
    this.mirrors = new Mirrors({
      ...events,
      copied: (channel, message) =>
        message === null ? this.#due.unwatch(channel) : this.#due.watch(channel, message),
    });
    this.#reads = new AppendReads(this.#scripts, this.mirrors, this.#due);
  }

  get openMessages(): number {
    return this.mirrors.count;
  }

  start(): void {
    this.#due.start();
  }

  stop(): void {
    this.mirrors.clear();
    this.#due.stop();
  }

  /** Whether a channel is known to have, or to have had, append streams. */
  knows(channel: string): boolean {
    return this.#known.has(channel);
  }

  /** Notes that a channel has append streams: reads of it take one step instead of two. */
  note(channel: string): void {
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.add(channel);
  }

  read(
    channel: string,
    filter: HistoryFilter,
    life: number | '',
    isDelivered: boolean,
  ): Promise<HistoryResult> {
    return this.#reads.read(channel, filter, life, isDelivered);
  }

  async append(channel: string, request: PreparedAppend, stream: StreamOptions): Promise<StoredAppend> {
    const options = requireAppends(stream);
    this.note(channel);
    const { result, flags, deadline } =
      (await this.#addText(channel, request, options)) ?? (await this.#apply(channel, request, options));
    const { status } = result;
    if (isOpening(flags) && status === 'streaming') this.#due.opened(channel, deadline);
    if (flags !== null)
      this.#events.flushed(channel, status === 'streaming' ? null : { status, by: 'producer' });
    return result;
  }

  /** What nearly every request does, in a script that does nothing else. Null: nothing has changed. */
  async #addText(
    channel: string,
    request: PreparedAppend,
    options: AppendingOptions,
  ): Promise<AppliedAppend | null> {
    const { keys, command } = this.#scripts;
    const args = textArguments(request, { options, messages: keys.messages(channel), command });
    if (args === null) return null;
    const answer = await this.#scripts.runOnText(APPEND_TEXT, channel, args);
    return answer === null ? null : textResult(answer as readonly unknown[], request);
  }

  async #apply(channel: string, request: PreparedAppend, options: AppendingOptions): Promise<AppliedAppend> {
    const { keys, command, clock } = this.#scripts;
    const epoch = this.#scripts.newEpoch();
    const context = { options, now: clock.now(), epoch, messages: keys.messages(channel), command };
    const args = appendArguments(request, context);
    const texts = textsOf(await this.#afterDue(channel, () => this.#scripts.run(APPEND, channel, args)));
    if (texts[0] !== 'ok') throw refusalOf(texts, request, options);
    return appendResult(texts);
  }

  async state(channel: string, message: string | null, withDocument = true): Promise<AppendState | null> {
    const args = [message ?? '*', withDocument ? '1' : ''];
    const answer = await this.#afterDue(channel, () =>
      withDocument ? this.#scripts.runLarge(STATE, channel, args) : this.#scripts.run(STATE, channel, args),
    );
    const [name, epoch, ...rest] = answer as [Buffer, Buffer, ...unknown[]];
    if (name.toString() === 'open') {
      const [fields, body] = rest as [(Buffer | null)[], Buffer];
      return openState(epoch.toString(), fields, withDocument ? body : null);
    }
    if (name.toString() === 'none') return null;
    const [id, fields, record] = rest as [Buffer, (Buffer | null)[], Buffer];
    return endedState(epoch.toString(), id.toString(), fields, record);
  }

  async cancel(
    channel: string,
    { message = '*', input = '*' }: CancelTarget,
    cancel: AppendCancel,
  ): Promise<AppendState | null> {
    const { keys, command } = this.#scripts;
    const packed = packedCancel(cancel, cancelReason(cancel));
    const messages = keys.messages(channel);
    const args = [message, input, packed, EARLY_CANCEL_MS, MAX_EARLY_CANCELS, messages, command];
    const answer = await this.#afterDue(channel, () => this.#scripts.run(CANCEL, channel, args));
    const [name, id = '', isOpen] = textsOf(answer);
    if (name === 'early') return null;
    if (name === 'limited') throw tooManyCancels();
    if (name === 'none') throw new AppendRefused('not_found', 'there is no such message to cancel');
    if (isOpen === '1') this.#due.watch(channel, id, CANCEL_LOOK_MS);
    return this.state(channel, id, false);
  }

  async claimOutcome(channel: string, message: string): Promise<AppendOutcome | null> {
    const answer = await this.#scripts.run(OUTCOME, channel, [message, '', CLAIM_MS]);
    const [name, outcome] = textsOf(answer);
    if (name === 'none') throw new AppendRefused('not_found', 'there is no such message');
    return name === 'claimed' ? null : (outcome as AppendOutcome);
  }

  async storeOutcome(channel: string, message: string, outcome: AppendOutcome): Promise<void> {
    await this.#scripts.run(OUTCOME, channel, [message, outcome, '']);
  }

  /** Runs a script, after the end of a message that is due. */
  async #afterDue(channel: string, run: () => Promise<unknown>): Promise<readonly unknown[]> {
    for (;;) {
      const answer = (await run()) as readonly unknown[];
      if (String(answer[0]) !== 'due') return answer;
      await this.#due.end(channel, String(answer[1]));
    }
  }
}
