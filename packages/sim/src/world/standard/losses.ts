import type { Fork, Loss, Published, Renewal } from '../../oracles/observations.ts';

/**
 * What a node hears later than this it may have taken for lost: a check of positions waits 1.5 s between its two reads,
 * and reads themselves take their time.
 */
const LATE_US = 500_000;

interface Listening {
  readonly fromUs: number;
  untilUs: number;
}

/** What a node heard: after a fail-over a position alone may mean two things. */
type Heard = Pick<Published, 'channel' | 'epoch' | 'offset' | 'text'>;

/** What one process of a node listened to and heard. */
export class NodeLife {
  readonly #listening = new Map<string, Listening[]>();
  readonly #heardUs = new Map<string, number>();

  /** The node gets what is published in a channel from now on. */
  listens(channel: string, atUs: number): void {
    const intervals = this.#listening.get(channel) ?? [];
    if ((intervals.at(-1)?.untilUs ?? 0) !== Number.POSITIVE_INFINITY)
      intervals.push({ fromUs: atUs, untilUs: Number.POSITIVE_INFINITY });
    this.#listening.set(channel, intervals);
  }

  leaves(channel: string, atUs: number): void {
    const last = this.#listening.get(channel)?.at(-1);
    if (last !== undefined) last.untilUs = Math.min(last.untilUs, atUs);
  }

  /** The process is gone. */
  ends(atUs: number): void {
    for (const channel of this.#listening.keys()) this.leaves(channel, atUs);
  }

  heard(publication: Heard, atUs: number): void {
    const key = keyOf(publication);
    if (!this.#heardUs.has(key)) this.#heardUs.set(key, atUs);
  }

  /** When it heard a publication; undefined: it did not. */
  heardUs(publication: Published): number | undefined {
    return this.#heardUs.get(keyOf(publication));
  }

  /** It listened, and heard a publication late or never. */
  missed(publication: Published): boolean {
    const { channel, atUs } = publication;
    const intervals = this.#listening.get(channel) ?? [];
    if (!intervals.some(({ fromUs, untilUs }) => fromUs <= atUs && atUs <= untilUs)) return false;
    const heardUs = this.heardUs(publication);
    return heardUs === undefined || heardUs - atUs > LATE_US;
  }

  /** It heard a publication, and has listened to its channel ever since until a moment. */
  remembers(publication: Published, untilUs: number): boolean {
    const heardUs = this.heardUs(publication);
    if (heardUs === undefined) return false;
    const intervals = this.#listening.get(publication.channel) ?? [];
    return intervals.some(each => each.fromUs <= heardUs && each.untilUs >= untilUs);
  }
}

/** What happened to the streams of a store as a whole. */
export interface StreamEvents {
  readonly wipedAtUs: readonly number[];
  readonly forks: readonly Fork[];
  readonly renewals: readonly Renewal[];
  readonly channels: readonly string[];
}

/**
 * Publications that a node did not hear, or late, or that the store lost; in each channel also one where the store lost
 * everything or had two masters, and one where its stream was renewed: positions of before mean nothing any more.
 */
export function lossesOf(
  published: readonly Published[],
  lives: readonly NodeLife[],
  { wipedAtUs, forks, renewals, channels }: StreamEvents,
): readonly Loss[] {
  const missed = published.filter(
    publication => publication.lostUs !== undefined || lives.some(life => life.missed(publication)),
  );
  const ended = [...wipedAtUs.map(atUs => ({ atUs })), ...forks].flatMap(event =>
    channels.map(channel => ({ channel, ...event })),
  );
  const renewed = renewals.map(({ channel, atUs }) => ({ channel, atUs }));
  return [...missed.map(({ channel, atUs }) => ({ channel, atUs })), ...ended, ...renewed];
}

/** Publications that a fail-over lost and that a node still knows, which has listened ever since until a moment. */
export function rememberedBy(
  lives: readonly NodeLife[],
  published: readonly Published[],
  untilUs: number,
): ReadonlySet<Published> {
  const lost = published.filter(({ lostUs }) => lostUs !== undefined);
  return new Set(lost.filter(publication => lives.some(life => life.remembers(publication, untilUs))));
}

function keyOf({ channel, epoch, offset, text }: Heard): string {
  return `${channel} ${epoch} ${offset} ${text}`;
}
