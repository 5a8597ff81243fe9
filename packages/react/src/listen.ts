import type { Subscription, SubscriptionEvents } from '@msg/client';

/** Adds listeners to a subscription. Returns a function that removes them. */
export function listen(subscription: Subscription, listeners: Partial<SubscriptionEvents>): () => void {
  const entries = Object.entries(listeners) as [never, never][]; // each listener has the name of its event
  for (const [event, listener] of entries) subscription.on(event, listener);
  return () => {
    for (const [event, listener] of entries) subscription.off(event, listener);
  };
}
