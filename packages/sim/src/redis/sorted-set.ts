import type { Bytes } from './reply.ts';

export type Scored = readonly [member: Bytes, score: number];

/** Members by score, equal scores by the bytes of the member. */
export class SortedSet {
  readonly #scores = new Map<Bytes, number>();
  #order: Scored[] = [];

  static of(other: SortedSet): SortedSet {
    const copy = new SortedSet();
    for (const [member, score] of other.#order) copy.#scores.set(member, score);
    copy.#order = [...other.#order];
    return copy;
  }

  get size(): number {
    return this.#order.length;
  }

  scoreOf(member: Bytes): number | undefined {
    return this.#scores.get(member);
  }

  /** All members, the lowest score first. */
  get members(): readonly Scored[] {
    return this.#order;
  }

  /** A zero has no sign. */
  set(member: Bytes, signed: number): void {
    const score = signed === 0 ? 0 : signed;
    this.delete(member);
    this.#scores.set(member, score);
    this.#order.splice(this.#placeOf(member, score), 0, [member, score]);
  }

  delete(member: Bytes): boolean {
    const score = this.#scores.get(member);
    if (score === undefined) return false;
    this.#scores.delete(member);
    this.#order.splice(this.#placeOf(member, score), 1);
    return true;
  }

  /** The first place that is not before this member. */
  #placeOf(member: Bytes, score: number): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const [otherMember, otherScore] = this.#order[middle] as Scored; // within the list
      if (otherScore < score || (otherScore === score && otherMember < member)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
