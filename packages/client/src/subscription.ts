import type {
  Centrifuge,
  PublicationContext,
  Subscription,
  SubscriptionEvents,
  SubscriptionOptions,
} from 'centrifuge';
import { base64Bytes } from './base64.ts';

/** The stock client's states of a subscription, and `waiting`: subscribing, to a channel that is not open. */
export type SubscriptionStatus = 'unsubscribed' | 'subscribing' | 'waiting' | 'subscribed';

/** A publication whose data has the type that its channel's schema promises. */
export type TypedPublication<T> = Omit<PublicationContext, 'data'> & { readonly data: T };

/** A subscription whose publications are typed; everything else is the stock client's. */
export interface TypedSubscription<T> extends Omit<Subscription, 'on'> {
  on(event: 'publication', listener: (publication: TypedPublication<T>) => void): this;
  on<E extends Exclude<keyof SubscriptionEvents, 'publication'>>(
    event: E,
    listener: SubscriptionEvents[E],
  ): this;
}

/** Refused by a server on which the channel is not open (messaging details 24.1). */
const CHANNEL_NOT_OPEN = 102;

/** JSON holds payloads that are not UTF-8 as base64 (messaging details 24.3); applications get the bytes. */
function decodeBinary(publication: PublicationContext): void {
  if (publication.tags?.['msg-encoding'] === 'base64') publication.data = base64Bytes(publication.data);
}

/** A subscription of the stock client whose binary payloads are bytes; `onStatus` reports when it begins to wait and when that ends. */
export function createSubscription(
  stock: Centrifuge,
  name: string,
  options: Partial<SubscriptionOptions>,
  onWaiting: (subscription: Subscription, isWaiting: boolean) => void,
): Subscription {
  const subscription = stock.newSubscription(name, options);
  // The first listener: the application's get what it leaves in the publication.
  subscription.on('publication', decodeBinary);
  const history = subscription.history.bind(subscription);
  subscription.history = async options => {
    const result = await history(options);
    result.publications.forEach(decodeBinary);
    return result;
  };
  subscription.on('error', ({ error }) => {
    if (error.code === CHANNEL_NOT_OPEN) onWaiting(subscription, true);
  });
  subscription.on('state', ({ newState }) => {
    if (newState !== 'subscribing') onWaiting(subscription, false);
  });
  return subscription;
}
