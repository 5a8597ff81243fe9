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

/** Error code of a channel that is not open (messaging details 24.1). */
const CHANNEL_NOT_OPEN = 102;

/** Replaces the base64 of a payload that is not UTF-8 (messaging details 24.3) by its bytes. */
function decodeBinary(publication: PublicationContext): void {
  if (publication.tags?.['msg-encoding'] === 'base64') publication.data = base64Bytes(publication.data);
}

/**
 * Makes a subscription of the stock client whose binary payloads are bytes; `onStatus` reports when it starts and stops
 * waiting.
 */
export function createSubscription(
  stock: Centrifuge,
  name: string,
  options: Partial<SubscriptionOptions>,
  onWaiting: (subscription: Subscription, isWaiting: boolean) => void,
): Subscription {
  const subscription = stock.newSubscription(name, options);
  // The first listener, so that the application's listeners get the decoded publication.
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
