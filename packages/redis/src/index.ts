export {
  describeAddress,
  type HostPort,
  InvalidAddress,
  parseStoreAddress,
  type StoreAddress,
} from './address.ts';
export type { RedisArgument } from './command.ts';
export { fnv1a64, jumpHash, shardOf } from './jump-hash.ts';
export { type LuaScript, lua } from './script.ts';
export {
  type AroundCommand,
  openRedis,
  RedisStore,
  type RedisStoreOptions,
} from './store.ts';
export { StoreError, type StoreErrorCode } from './store-error.ts';
export { type PubSubKind, type SubscriptionEvents, Subscriptions } from './subscriptions.ts';
