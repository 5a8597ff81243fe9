import { MsgError } from '@msg/core';
import type { Clock } from '@msg/foundation/clock';
import { withDeadline } from '@msg/foundation/promises';
import type { InFlightDeliveries } from '../sinks/in-flight.ts';
import type { SinkRegistry } from '../sinks/registry.ts';
import type { RetryingSink } from '../sinks/retrying.ts';
import { checkRecipient, decodeRecipient, sendClaimed } from './claimed.ts';
import type { DeadLetter, DeadLetterQueue, LetterChange } from './contract.ts';
import { Discards } from './discards.ts';
import {
  type LetterFilter,
  type LetterGroup,
  type LetterPage,
  letterCount,
  letterGroups,
  letterPage,
} from './pages.ts';

/** How long a call waits for a replay (messaging details 12.3). */
const REPLAY_WAIT_MS = 20_000;

export interface DeadLettersOptions {
  readonly queue: DeadLetterQueue;
  readonly sinks: SinkRegistry;
  readonly outbound: InFlightDeliveries;
  readonly clock: Clock;
  /** Called when a replay rejects after its call was answered. */
  readonly onError: (error: unknown) => void;
}

/** The outcome of a replay: the sink took it, it failed again and stays, its recipient is gone for good, or its retries still run. */
export type ReplayOutcome = 'sent' | 'parked' | 'gone' | 'running';

/** A replay; while its retries run, with attempts and error of before. */
export interface ReplayAnswer extends Pick<DeadLetter, 'attempts' | 'lastError'> {
  readonly outcome: ReplayOutcome;
}

/** The error of an id without a letter. */
export function notParked(id: string): MsgError {
  return new MsgError('MSG_SINK_DLQ_NOT_FOUND', `no dead letter ${JSON.stringify(id)} is parked`);
}

/** The operators' interface to dead letters. Source: messaging details 12.3. */
export class DeadLetters {
  readonly #options: DeadLettersOptions;
  /** Discards of many letters, which can be taken back for a while. */
  readonly discards: Discards;

  constructor(options: DeadLettersOptions) {
    this.#options = options;
    this.discards = new Discards(options);
  }

  /**
   * Letters of a sink, or of all sinks for an empty name: newest first. `limit` 0 means no limit.
   * @throws MsgError MSG_INVALID_ARGUMENT for a negative limit.
   */
  async list(sink = '', limit = 0): Promise<readonly DeadLetter[]> {
    if (limit < 0) throw new MsgError('MSG_INVALID_ARGUMENT', `limit must be 0 or more; got ${limit}`);
    return this.#options.queue.list(sink === '' ? undefined : sink, limit);
  }

  /**
   * A page of letters, the newest first; `undefined` for a position of another listing.
   * @param page `limit` at least 1; `after`: `next` of the page before
   */
  page(
    filter: LetterFilter,
    page: { readonly limit: number; readonly after?: string },
  ): Promise<LetterPage | undefined> {
    return letterPage(this.#options.queue, this.#options.clock, filter, page);
  }

  /** Letters of a sink, or of all sinks for an empty name, that failed alike. */
  groups(sink = ''): Promise<readonly LetterGroup[]> {
    return letterGroups(this.#options.queue, this.#options.clock, sink);
  }

  /** One letter. @throws MsgError MSG_SINK_DLQ_NOT_FOUND */
  async get(id: string): Promise<DeadLetter> {
    const { queue } = this.#options;
    const letter =
      queue.get === undefined
        ? (await queue.list(undefined, 0)).find(candidate => candidate.id === id)
        : await queue.get(id);
    if (letter === undefined) throw notParked(id);
    return letter;
  }

  /** A letter as listings show it: without what is secret of its recipient. */
  redacted(letter: DeadLetter): DeadLetter {
    const { redactRecipient } = this.#options.sinks.get(letter.sink) ?? {};
    return redactRecipient === undefined
      ? letter
      : { ...letter, recipient: redactRecipient(letter.recipient) };
  }

  /** Number of letters of a sink, or of all sinks for an empty name. */
  count(sink = ''): Promise<number> {
    return letterCount(this.#options.queue, sink);
  }

  /** Number of letters by sink, with every registered sink. */
  async sizes(): Promise<ReadonlyMap<string, number>> {
    const none = this.#options.sinks.names().map(name => [name, 0] as const);
    return new Map([...none, ...(await this.#options.queue.sizes())]);
  }

  /** Removes a letter for good. @throws MsgError MSG_SINK_DLQ_NOT_FOUND */
  async discard(id: string): Promise<void> {
    if ((await this.discards.discard({ ids: [id] }, 0)).length === 0) throw notParked(id);
  }

  /**
   * Changes recipient, message or both of a letter; it keeps id, place and attempts.
   * @throws MsgError MSG_SINK_DLQ_NOT_FOUND, also while a call replays the letter; MSG_SINK_CONFIG_INVALID when its sink is
   * not registered; MSG_SINK_RECIPIENT_DECODE when the sink refuses the recipient; MSG_INVALID_ARGUMENT for a queue that
   * cannot change letters
   */
  async update(id: string, change: Omit<LetterChange, 'at'>): Promise<DeadLetter> {
    const { queue, sinks, clock } = this.#options;
    if (queue.update === undefined)
      throw new MsgError(
        'MSG_INVALID_ARGUMENT',
        'the dead-letter queue of this service cannot change letters',
      );
    const { sink } = await this.get(id);
    if (change.recipient !== undefined) checkRecipient(sinks.require(sink), change.recipient);
    const letter = await queue.update(id, { ...change, at: clock.now() });
    if (letter === undefined) throw notParked(id);
    return letter;
  }

  /**
   * Sends a letter again through its sink's retry wrapper. A delivered letter is removed, and so is one whose recipient is
   * gone for good; a failed one stays, with the new attempts. The call succeeds in both cases, and after 20 s also while the retries run; it returns which case it
   * is.
   * @throws MsgError MSG_SINK_DLQ_NOT_FOUND, also while another call replays the letter; MSG_SINK_CONFIG_INVALID when its
   * sink is not registered; MSG_SINK_RECIPIENT_DECODE when the sink cannot read the stored recipient
   */
  async replay(id: string): Promise<ReplayOutcome> {
    return (await this.resend(id)).outcome;
  }

  /** As {@link replay}, with all sends so far and the last error. @throws MsgError as it does */
  async resend(id: string): Promise<ReplayAnswer> {
    const claim = await this.#options.queue.claim(id);
    if (claim === undefined) throw notParked(id);
    let sink: RetryingSink;
    let recipient: unknown;
    try {
      sink = this.#options.sinks.require(claim.letter.sink);
      recipient = decodeRecipient(sink, claim.letter.recipient);
    } catch (error) {
      await claim.release();
      throw error;
    }
    const { attempts, lastError } = claim.letter;
    const before = { outcome: 'running', attempts, lastError } as const;
    return this.#waitFor(this.#options.outbound.track(sendClaimed(claim, sink, recipient)), before);
  }

  async #waitFor(run: Promise<ReplayAnswer>, before: ReplayAnswer): Promise<ReplayAnswer> {
    let answered = false;
    run.catch(error => {
      if (answered) this.#options.onError(error);
    });
    try {
      return await withDeadline(this.#options.clock, REPLAY_WAIT_MS, run, () => before);
    } finally {
      answered = true;
    }
  }
}
