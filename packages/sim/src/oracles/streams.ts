import type { Standing } from './followed.ts';
import type { Observations, PublicationEvent, Published } from './observations.ts';
import { StreamOfEpoch } from './stream-of-epoch.ts';

/** The streams of a run, and what each held at any moment. */
export class Streams {
  readonly #byEpoch = new Map<string, StreamOfEpoch>();
  readonly #observations: Observations;

  constructor(observations: Observations) {
    this.#observations = observations;
    for (const publication of observations.published) this.#of(publication).all.push(publication);
  }

  /** What was published at a position: more than one after a fail-over gave it again. */
  textsAt(channel: string, epoch: string, offset: number): readonly string[] {
    return this.#of({ channel, epoch }).texts(offset);
  }

  /**
   * Whether positions of an epoch may mean two things at a moment: a fail-over lost a part of it, or some server took itself
   * for the master.
   */
  isForked(channel: string, epoch: string, fromUs: number, untilUs: number): boolean {
    const { forks = [] } = this.#observations;
    if (forks.some(fork => fork.atUs <= untilUs && fromUs <= fork.untilUs)) return true;
    return this.#of({ channel, epoch }).hasLost(untilUs);
  }

  /** The newest value of a stream has a lower offset than before, because a fail-over lost a part of it. */
  isLowerValue({ channel, atUs }: PublicationEvent, before: Standing | undefined): boolean {
    if (this.#observations.mode !== 'cache' || before === undefined) return false;
    return this.isForked(channel, before.epoch, atUs, atUs);
  }

  /** Whether a position was given again, after what was there was lost. */
  isGivenAgain(channel: string, epoch: string, offset: number): boolean {
    return this.#of({ channel, epoch }).lostAt(offset);
  }

  /** The epoch of a channel at a moment, if it has a publication or was renewed; undefined: its stream has none. */
  epochAt(channel: string, atUs: number): string | undefined {
    const wiped = this.#observations.wipedAtUs?.findLast(moment => moment <= atUs) ?? -1;
    const isThen = (event: { channel: string; atUs: number; lostUs?: number }): boolean =>
      event.channel === channel &&
      event.atUs > wiped &&
      event.atUs <= atUs &&
      (event.lostUs ?? Infinity) > atUs;
    const published = this.#observations.published.findLast(isThen);
    const renewed = this.#observations.renewals?.findLast(isThen);
    return (renewed?.atUs ?? 0) > (published?.atUs ?? 0) ? renewed?.epoch : published?.epoch;
  }

  /** Whether the filter of every subscriber excludes all positions between two; true if they are neighbours. */
  areExcluded(channel: string, epoch: string, after: number, before: number): boolean {
    const { isExcluded } = this.#observations;
    for (let offset = after + 1; offset < before; offset++) {
      const texts = this.textsAt(channel, epoch, offset);
      if (isExcluded === undefined || texts.length === 0 || !texts.every(isExcluded)) return false;
    }
    return true;
  }

  /** The newest offset of an epoch at a moment; 0: none. */
  topAt(channel: string, epoch: string, atUs: number): number {
    return this.#of({ channel, epoch }).topAt(atUs);
  }

  /** Was a publication of an epoch retained at some moment between these? */
  hadValue(channel: string, epoch: string, fromUs: number, untilUs: number): boolean {
    const stream = this.#of({ channel, epoch });
    const top = stream.topAt(fromUs);
    if (stream.topAt(untilUs) > top) return true;
    const ttlUs = this.#observations.retention.ttlMs * 1000;
    return top > 0 && (stream.publicationAt(top, fromUs)?.atUs ?? 0) + ttlUs > fromUs;
  }

  /** Was the newest publication of an epoch retained at every moment between these? */
  hasValueThroughout(channel: string, epoch: string, fromUs: number, untilUs: number): boolean {
    const stream = this.#of({ channel, epoch });
    const ttlUs = this.#observations.retention.ttlMs * 1000;
    const first = stream.topAt(fromUs);
    const last = stream.topAt(untilUs);
    if (first === 0) return false;
    for (let offset = first; offset <= last; offset++) {
      const until = offset === last ? untilUs : (stream.publicationAt(offset + 1, untilUs)?.atUs ?? untilUs);
      if ((stream.publicationAt(offset, untilUs)?.atUs ?? 0) + ttlUs <= until) return false;
    }
    return true;
  }

  /** Could a client go on from here at this moment without a loss? */
  continuesFrom(
    channel: string,
    { epoch, offset }: { epoch: string; offset: number },
    atUs: number,
  ): boolean {
    const stream = this.#of({ channel, epoch });
    const top = stream.topAt(atUs);
    if (offset >= top) return offset === top;
    return offset >= top - this.#retainedAt(stream, top, atUs);
  }

  /** How many of the newest are there: all end together, so long after the newest one. */
  #retainedAt(stream: StreamOfEpoch, top: number, atUs: number): number {
    const { size, ttlMs } = this.#observations.retention;
    const ttlUs = ttlMs * 1000;
    const at = (offset: number): Published | undefined => stream.publicationAt(offset, atUs);
    if ((at(top)?.atUs ?? 0) + ttlUs <= atUs) return 0;
    let retained = 1;
    while (retained < Math.min(size, top)) {
      const [older, newer] = [at(top - retained), at(top - retained + 1)];
      if (older === undefined || newer === undefined || older.atUs + ttlUs <= newer.atUs) break;
      retained++;
    }
    return retained;
  }

  #of({ channel, epoch }: Pick<Published, 'channel' | 'epoch'>): StreamOfEpoch {
    const key = `${channel} ${epoch}`;
    const stream = this.#byEpoch.get(key) ?? new StreamOfEpoch(() => this.#inheritedBy(channel, epoch));
    this.#byEpoch.set(key, stream);
    return stream;
  }

  #inheritedBy(channel: string, epoch: string): readonly Published[] {
    const { renewals = [] } = this.#observations;
    const renewal = renewals.find(each => each.channel === channel && each.epoch === epoch);
    if (renewal === undefined) return [];
    const { before, atUs, offset } = renewal;
    return this.#of({ channel, epoch: before }).at(atUs).slice(0, offset);
  }
}
