import type { Clock } from '@msg/foundation/clock';
import type { InFlightDeliveries } from '../../sinks/in-flight.ts';
import type { SinkRegistry } from '../../sinks/registry.ts';
import type { RetryingSink } from '../../sinks/retrying.ts';
import { decodeRecipient, sendClaimed } from '../claimed.ts';
import type { DeadLetterQueue } from '../contract.ts';
import { errorGroup } from '../group.ts';
import { jobLetters } from '../pages.ts';
import type { JobLetter } from './contract.ts';
import type { LetterOutcome } from './run.ts';

export interface LettersOfJobsParts {
  readonly queue: DeadLetterQueue;
  readonly sinks: SinkRegistry;
  readonly outbound: InFlightDeliveries;
  readonly clock: Pick<Clock, 'afterTurn'>;
}

/** What jobs read and send. */
export class LettersOfJobs {
  readonly #parts: LettersOfJobsParts;

  constructor(parts: LettersOfJobsParts) {
    this.#parts = parts;
  }

  /** The letters of a sink for a job, the oldest first. @throws MsgError MSG_SINK_CONFIG_INVALID */
  select(sink: string, accepts: (letter: JobLetter) => boolean): Promise<readonly JobLetter[]> {
    this.#parts.sinks.require(sink);
    return jobLetters(this.#parts.queue, this.#parts.clock, sink, accepts);
  }

  /** Sends one letter: once, or with the retries of its sink. Rejects when the store fails. */
  async send(id: string, retries: boolean): Promise<LetterOutcome> {
    const claim = await this.#parts.queue.claim(id);
    if (claim === undefined) return { outcome: 'skipped', group: '' };
    const group = errorGroup(claim.letter.lastError);
    let sink: RetryingSink;
    let recipient: unknown;
    try {
      sink = this.#parts.sinks.require(claim.letter.sink);
      recipient = decodeRecipient(sink, claim.letter.recipient);
    } catch {
      await claim.release();
      return { outcome: 'skipped', group };
    }
    const run = sendClaimed(claim, sink, recipient, retries ? undefined : 1);
    const { outcome } = await this.#parts.outbound.track(run);
    // A letter whose recipient is gone for good is gone, too.
    return { outcome: outcome === 'gone' ? 'skipped' : outcome, group };
  }
}
