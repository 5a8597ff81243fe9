import type { PublicationList } from './codec.ts';

/** Lists whose elements a writer leaves out of its message, because they are encoded elsewhere. */
export class OmittedLists {
  /** Each list that was left out and its place, as the writer counts places, in the order of writing. */
  readonly places: { readonly at: number; readonly list: PublicationList }[] = [];
  readonly #sizes: ReadonlyMap<PublicationList, number>;

  constructor(sizes: ReadonlyMap<PublicationList, number>) {
    this.#sizes = sizes;
  }

  /** The size of a list that is left out, at this place; undefined for any other list. */
  take(values: readonly unknown[], at: number): number | undefined {
    // Only publications are in the map, so a list that is found there is one of publications.
    const list = values as PublicationList;
    const size = this.#sizes.get(list);
    if (size !== undefined) this.places.push({ at, list });
    return size;
  }
}
