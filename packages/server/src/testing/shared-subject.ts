/** One empty store from two nodes; the same object twice for a single node. */
export interface SharedSubject<Store> {
  readonly here: Store;
  readonly there: Store;
}
