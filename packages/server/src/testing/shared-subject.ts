/** Two views on one empty store, as two nodes have it; the same object twice where there is only one node. */
export interface SharedSubject<Store> {
  readonly here: Store;
  readonly there: Store;
}
