export {
  type HostPort,
  InvalidAddress,
  type StoreAddress,
} from './address.ts';
export type { RedisArgument } from './command.ts';
export { type LuaScript, lua } from './script.ts';
export * from './store.ts';
export { StoreError, type StoreErrorCode } from './store-error.ts';
export { type PubSubKind, type SubscriptionEvents, Subscriptions } from './subscriptions.ts';
