import type { Loss, Published } from '../../oracles/observations.ts';

/**
 * What a node hears later than this it may have taken for lost: a check of positions waits 1.5 s between its two reads,
 * and reads themselves take their time.
 */
const LATE_US = 500_000;

interface Listening {
  readonly fromUs: number;
  untilUs: number;
}

type Position = Pick<Published, 'epoch' | 'offset'>;

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

  heard(channel: string, position: Position, atUs: number): void {
    const key = keyOf(channel, position);
    if (!this.#heardUs.has(key)) this.#heardUs.set(key, atUs);
  }

  /** It listened, and heard a publication late or never. */
  missed({ channel, atUs, ...position }: Published): boolean {
    const intervals = this.#listening.get(channel) ?? [];
    if (!intervals.some(({ fromUs, untilUs }) => fromUs <= atUs && atUs <= untilUs)) return false;
    const heardUs = this.#heardUs.get(keyOf(channel, position));
    return heardUs === undefined || heardUs - atUs > LATE_US;
  }
}

/**
 * Publications that a node did not hear, or late; in each channel also one where the store lost everything: positions mean
 * nothing any more.
 */
export function lossesOf(
  published: readonly Published[],
  lives: readonly NodeLife[],
  wiped: { readonly atUs: readonly number[]; readonly channels: readonly string[] },
): readonly Loss[] {
  const missed = published.filter(publication => lives.some(life => life.missed(publication)));
  const ended = wiped.atUs.flatMap(atUs => wiped.channels.map(channel => ({ channel, atUs })));
  return [...missed.map(({ channel, atUs }) => ({ channel, atUs })), ...ended];
}

function keyOf(channel: string, { epoch, offset }: Position): string {
  return `${channel} ${epoch} ${offset}`;
}
