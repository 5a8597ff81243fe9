import type { Published } from './observations.ts';

/** The publications of one channel under one epoch, as the store had them at any moment. */
export class StreamOfEpoch {
  /** In the order of the writes. */
  readonly all: Published[] = [];
  /** What it had when it got its epoch in place of another one. */
  readonly #inherited: () => readonly Published[];
  /** Of the moments at which a part was lost, and those that the store had after them and before the next. */
  #pieces: readonly { readonly fromUs: number; readonly kept: readonly Published[] }[] | undefined;
  /** What it has by offset: every event of a run asks for it. */
  #byOffset: ReadonlyMap<number, readonly Published[]> | undefined;

  constructor(inherited: () => readonly Published[] = () => []) {
    this.#inherited = inherited;
  }

  /** What it had of a moment, oldest first: also later ones, if nothing was lost in between. */
  at(atUs: number): readonly Published[] {
    this.#pieces ??= piecesOf([...this.#inherited(), ...this.all]);
    return this.#pieces.findLast(({ fromUs }) => fromUs <= atUs)?.kept ?? this.all;
  }

  /** The newest offset at a moment. */
  topAt(atUs: number): number {
    const publications = this.at(atUs);
    let low = 0;
    let high = publications.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((publications[middle]?.atUs ?? 0) <= atUs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** What was at an offset at a moment. */
  publicationAt(offset: number, atUs: number): Published | undefined {
    return this.at(atUs)[offset - 1];
  }

  /** Whether something was published at an offset that was lost. */
  lostAt(offset: number): boolean {
    return this.all.some(each => each.offset === offset && each.lostUs !== undefined);
  }

  /** Whether a part was lost up to a moment. */
  hasLost(atUs: number): boolean {
    return this.all.some(({ lostUs }) => lostUs !== undefined && lostUs <= atUs);
  }

  texts(offset: number): readonly string[] {
    this.#byOffset ??= Map.groupBy([...this.#inherited(), ...this.all], each => each.offset);
    return this.#byOffset.get(offset)?.map(({ text }) => text) ?? [];
  }
}

function piecesOf(all: readonly Published[]) {
  const moments = new Set(all.flatMap(({ lostUs }) => lostUs ?? []));
  return [Number.NEGATIVE_INFINITY, ...[...moments].toSorted((a, b) => a - b)].map(fromUs => ({
    fromUs,
    kept: all.filter(({ lostUs = Number.POSITIVE_INFINITY, atUs }) => lostUs > fromUs && lostUs !== atUs),
  }));
}
