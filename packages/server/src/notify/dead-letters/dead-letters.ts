import { MsgError } from '@msg/core';
import type { Clock } from '@msg/foundation/clock';
import { withDeadline } from '@msg/foundation/promises';
import type { SendContext } from '../sinks/contract.ts';
import { errorText } from '../sinks/error-text.ts';
import type { InFlightDeliveries } from '../sinks/in-flight.ts';
import type { SinkRegistry } from '../sinks/registry.ts';
import type { RetryingSink } from '../sinks/retrying.ts';
import type { DeadLetter, DeadLetterClaim, DeadLetterQueue } from './contract.ts';

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

/** The outcome of a replay: the sink took it, it failed again and stays, or its retries still run. */
export type ReplayOutcome = 'sent' | 'parked' | 'running';

function notParked(id: string): MsgError {
  return new MsgError('MSG_SINK_DLQ_NOT_FOUND', `no dead letter ${JSON.stringify(id)} is parked`);
}

/** The operators' interface to dead letters. Source: messaging details 12.3. */
export class DeadLetters {
  readonly #options: DeadLettersOptions;

  constructor(options: DeadLettersOptions) {
    this.#options = options;
  }

  /**
   * Letters of a sink, or of all sinks for an empty name: newest first. `limit` 0 means no limit.
   * @throws MsgError MSG_INVALID_ARGUMENT for a negative limit.
   */
  async list(sink = '', limit = 0): Promise<readonly DeadLetter[]> {
    if (limit < 0) throw new MsgError('MSG_INVALID_ARGUMENT', 'limit must not be negative');
    return this.#options.queue.list(sink === '' ? undefined : sink, limit);
  }

  /** Number of letters of a sink, or of all sinks for an empty name. */
  async count(sink = ''): Promise<number> {
    const sizes = await this.#options.queue.sizes();
    if (sink !== '') return sizes.get(sink) ?? 0;
    return [...sizes.values()].reduce((sum, size) => sum + size, 0);
  }

  /** Number of letters by sink, with every registered sink. */
  async sizes(): Promise<ReadonlyMap<string, number>> {
    const none = this.#options.sinks.names().map(name => [name, 0] as const);
    return new Map([...none, ...(await this.#options.queue.sizes())]);
  }

  /** Removes a letter for good. @throws MsgError MSG_SINK_DLQ_NOT_FOUND */
  async discard(id: string): Promise<void> {
    if (!(await this.#options.queue.discard(id))) throw notParked(id);
  }

  /**
   * Sends a letter again through its sink's retry wrapper. A delivered letter is removed; a failed one stays, with the
   * new attempts. The call succeeds in both cases, and after 20 s also while the retries run; it returns which case it
   * is.
   * @throws MsgError MSG_SINK_DLQ_NOT_FOUND, also while another call replays the letter; MSG_SINK_CONFIG_INVALID when its
   * sink is not registered; MSG_SINK_RECIPIENT_DECODE when the sink cannot read the stored recipient
   */
  async replay(id: string): Promise<ReplayOutcome> {
    const claim = await this.#options.queue.claim(id);
    if (claim === undefined) throw notParked(id);
    let sink: RetryingSink;
    let recipient: unknown;
    try {
      sink = this.#options.sinks.require(claim.letter.sink);
      recipient = decode(sink, claim.letter.recipient);
    } catch (error) {
      await claim.release();
      throw error;
    }
    return this.#waitFor(this.#options.outbound.track(this.#run(claim, sink, recipient)));
  }

  async #run(claim: DeadLetterClaim, sink: RetryingSink, recipient: unknown): Promise<ReplayOutcome> {
    const { message, channel, attempts } = claim.letter;
    const context: SendContext = { channel };
    const run = await sink.attempt(recipient, message, context);
    if (run.sent) {
      await claim.remove();
      return 'sent';
    }
    await claim.fail({ attempts: attempts + run.attempts, lastError: errorText(run.error) });
    return 'parked';
  }

  async #waitFor(run: Promise<ReplayOutcome>): Promise<ReplayOutcome> {
    let answered = false;
    run.catch(error => {
      if (answered) this.#options.onError(error);
    });
    try {
      return await withDeadline(this.#options.clock, REPLAY_WAIT_MS, run, () => 'running' as const);
    } finally {
      answered = true;
    }
  }
}

function decode(sink: RetryingSink, stored: unknown): unknown {
  if (sink.decodeRecipient === undefined) {
    throw new MsgError('MSG_SINK_RECIPIENT_DECODE', `sink ${sink.name} cannot read stored recipients`);
  }
  try {
    return sink.decodeRecipient(stored);
  } catch (cause) {
    throw new MsgError(
      'MSG_SINK_RECIPIENT_DECODE',
      `sink ${sink.name} cannot read the stored recipient: ${errorText(cause)}`,
      { cause },
    );
  }
}
