import type { Observations, Published } from './observations.ts';

/** The publications of one channel under one epoch. */
class StreamOfEpoch {
  /** By offset − 1. */
  readonly publications: Published[] = [];

  /** The newest offset at a moment. */
  topAt(atUs: number): number {
    let low = 0;
    let high = this.publications.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.publications[middle]?.atUs ?? 0) <= atUs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The streams of a run, and what each held at any moment. */
export class Streams {
  readonly #byEpoch = new Map<string, StreamOfEpoch>();
  readonly #observations: Observations;

  constructor(observations: Observations) {
    this.#observations = observations;
    for (const publication of observations.published) this.#of(publication).publications.push(publication);
  }

  textAt(channel: string, epoch: string, offset: number): string | undefined {
    return this.#of({ channel, epoch }).publications[offset - 1]?.text;
  }

  /** The epoch of the newest publication of a channel at a moment; undefined: its stream has none. */
  epochAt(channel: string, atUs: number): string | undefined {
    const wiped = this.#observations.wipedAtUs?.findLast(moment => moment <= atUs) ?? -1;
    return this.#observations.published.findLast(
      publication => publication.channel === channel && publication.atUs > wiped && publication.atUs <= atUs,
    )?.epoch;
  }

  isTop(channel: string, { epoch, offset }: { epoch: string; offset: number }, atUs: number): boolean {
    return this.#of({ channel, epoch }).topAt(atUs) === offset;
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
    return top > 0 && (stream.publications[top - 1]?.atUs ?? 0) + ttlUs > fromUs;
  }

  /** Was the newest publication of an epoch retained at every moment between these? */
  hasValueThroughout(channel: string, epoch: string, fromUs: number, untilUs: number): boolean {
    const stream = this.#of({ channel, epoch });
    const ttlUs = this.#observations.retention.ttlMs * 1000;
    const first = stream.topAt(fromUs);
    const last = stream.topAt(untilUs);
    if (first === 0) return false;
    for (let offset = first; offset <= last; offset++) {
      const until = offset === last ? untilUs : (stream.publications[offset]?.atUs ?? untilUs);
      if ((stream.publications[offset - 1]?.atUs ?? 0) + ttlUs <= until) return false;
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
    const { publications } = stream;
    if ((publications[top - 1]?.atUs ?? 0) + ttlUs <= atUs) return 0;
    let retained = 1;
    while (retained < Math.min(size, top)) {
      const [older, newer] = [publications[top - retained - 1], publications[top - retained]];
      if (older === undefined || newer === undefined || older.atUs + ttlUs <= newer.atUs) break;
      retained++;
    }
    return retained;
  }

  #of({ channel, epoch }: Pick<Published, 'channel' | 'epoch'>): StreamOfEpoch {
    const key = `${channel} ${epoch}`;
    const stream = this.#byEpoch.get(key) ?? new StreamOfEpoch();
    this.#byEpoch.set(key, stream);
    return stream;
  }
}
