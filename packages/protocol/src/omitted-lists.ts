import type { PublicationList } from './codec.ts';

/** Lists whose elements a writer omits from its message, because they are encoded elsewhere. */
export class OmittedLists {
  /** Omitted lists with their places, which the writer counts, in the order of writing. */
  readonly places: { readonly at: number; readonly list: PublicationList }[] = [];
  readonly #sizes: ReadonlyMap<PublicationList, number>;

  constructor(sizes: ReadonlyMap<PublicationList, number>) {
    this.#sizes = sizes;
  }

  /** Records an omitted list at this place and returns its size; undefined for any other list. */
  take(values: readonly unknown[], at: number): number | undefined {
    // The map has only lists of publications.
    const list = values as PublicationList;
    const size = this.#sizes.get(list);
    if (size !== undefined) this.places.push({ at, list });
    return size;
  }
}
