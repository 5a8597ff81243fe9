// For the packages of this repository alone: nothing here is promised to programs.
export { describeAddress, parseStoreAddress } from './address.ts';
export { fnv1a64, jumpHash, shardOf } from './jump-hash.ts';
// Apart from the store, so that it can be told without loading the client library.
export { StoreError } from './store-error.ts';
