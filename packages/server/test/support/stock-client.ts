import { Centrifuge, type Options, type PublicationContext, type Subscription } from 'centrifuge';

const open = new Set<Centrifuge>();

/** A stock client, not yet connected. {@link closeClients} disconnects it. */
export function stockClient(websocketUrl: string, options: Partial<Options> = {}): Centrifuge {
  const client = new Centrifuge(websocketUrl, {
    minReconnectDelay: 10,
    maxReconnectDelay: 100,
    ...options,
  });
  client.on('error', () => {}); // tests look at states and events
  open.add(client);
  return client;
}

/** Disconnects every client made here. */
export function closeClients(): void {
  for (const client of open) client.disconnect();
  open.clear();
}

/** The publications a subscription has received so far. */
export function received(subscription: Subscription): PublicationContext[] {
  const publications: PublicationContext[] = [];
  subscription.on('publication', context => publications.push(context));
  return publications;
}
