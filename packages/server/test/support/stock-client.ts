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

/** What became of a subscribe: the code of a refusal that is final; `waiting`: the client retries until the channel opens. */
export type SubscribeOutcome = number | 'subscribed' | 'waiting';

/** How a subscription ended, that it is there, or that it waits for its channel. */
export function outcome(subscription: Subscription): Promise<SubscribeOutcome> {
  return new Promise(resolve => {
    subscription.on('subscribed', () => resolve('subscribed'));
    subscription.on('unsubscribed', ({ code }) => resolve(code));
    subscription.on('error', ({ error }) => {
      if (error.code === 109) resolve(109);
      if (error.code === 102) resolve('waiting');
    });
  });
}

/** Connects and subscribes; `ended` resolves with the code with which the subscription is ended later. */
export async function follow(
  client: Centrifuge,
  channel: string,
): Promise<{ readonly subscription: Subscription; readonly ended: Promise<number> }> {
  const subscription = client.newSubscription(channel);
  const ended = new Promise<number>(resolve => subscription.on('unsubscribed', ({ code }) => resolve(code)));
  subscription.subscribe();
  client.connect();
  await subscription.ready(60_000);
  return { subscription, ended };
}

/** How a client's connection is ended for good. */
export function disconnected(
  client: Centrifuge,
): Promise<{ readonly code: number; readonly reason: string }> {
  return new Promise(resolve => client.on('disconnected', resolve));
}

/** Subscribes with a fresh connection and tells the outcome. */
export async function trySubscribe(
  websocketUrl: string,
  channel: string,
  tokens: { readonly connect?: string; readonly own?: string } = {},
): Promise<SubscribeOutcome> {
  const client = stockClient(websocketUrl, tokens.connect === undefined ? {} : { token: tokens.connect });
  const subscription = client.newSubscription(channel, tokens.own === undefined ? {} : { token: tokens.own });
  const result = outcome(subscription);
  subscription.subscribe();
  client.connect();
  const answer = await result;
  client.disconnect();
  return answer;
}

/** The code of a rejected command, or `ok`. */
export async function codeOf(command: Promise<unknown>): Promise<number | 'ok'> {
  try {
    await command;
    return 'ok';
  } catch (error) {
    return typeof error === 'object' && error !== null && 'code' in error ? Number(error.code) : -1;
  }
}
