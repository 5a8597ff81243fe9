import type { Subscription, SubscriptionEvents } from '@msg/client';

/** Adds listeners to a subscription; the answer takes them off. */
export function listen(subscription: Subscription, listeners: Partial<SubscriptionEvents>): () => void {
  const entries = Object.entries(listeners) as [never, never][]; // each listener stands under its event
  for (const [event, listener] of entries) subscription.on(event, listener);
  return () => {
    for (const [event, listener] of entries) subscription.off(event, listener);
  };
}
