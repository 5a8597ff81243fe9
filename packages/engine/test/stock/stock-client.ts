import type {
  Centrifuge,
  ClientEvents,
  ClientInfo,
  PublicationContext,
  Subscription,
  SubscriptionEvents,
  SubscriptionOptions,
} from 'centrifuge';
import { EventLog } from './event-log.ts';
import { fromPayload, type Stock } from './stock-clients.ts';

/** A publication as an application sees it, with decoded payloads. */
export interface Received {
  readonly offset: number | undefined;
  readonly data: unknown;
  readonly info: DecodedInfo | undefined;
  readonly tags: Record<string, string> | undefined;
}

export interface DecodedInfo {
  readonly user: string;
  readonly client: string;
  readonly connInfo: unknown;
  readonly chanInfo: unknown;
}

export function decodeInfo(stock: Stock, { user, client, connInfo, chanInfo }: ClientInfo): DecodedInfo {
  return {
    user,
    client,
    connInfo: fromPayload(stock, connInfo),
    chanInfo: fromPayload(stock, chanInfo),
  };
}

export function decodePublication(stock: Stock, publication: PublicationContext): Received {
  const { offset, data, info, tags } = publication;
  return {
    offset,
    data: fromPayload(stock, data),
    info: info === undefined ? undefined : decodeInfo(stock, info),
    tags,
  };
}

/** A stock client and everything it emitted. */
export class StockClient {
  readonly stock: Stock;
  readonly centrifuge: Centrifuge;
  readonly events: EventLog<ClientEvents>;
  /** Id of the present connection, or of the last one. */
  id = '';

  constructor(stock: Stock, centrifuge: Centrifuge) {
    this.stock = stock;
    this.centrifuge = centrifuge;
    centrifuge.on('connected', ({ client }) => {
      this.id = client;
    });
    this.events = new EventLog<ClientEvents>(centrifuge, [
      'connecting',
      'connected',
      'disconnected',
      'error',
      'message',
      'subscribing',
      'subscribed',
      'unsubscribed',
      'publication',
      'join',
      'leave',
    ]);
  }

  /** Connects and waits until the server accepted. */
  async connect(): Promise<void> {
    this.centrifuge.connect();
    await this.events.next('connecting');
    await this.events.next('connected');
  }

  /** A subscription of this client that is on its way. */
  subscribe(channel: string, options: SubscriptionOptions = {}): StockSubscription {
    const delays = { minResubscribeDelay: 10, maxResubscribeDelay: 50 };
    const subscription = this.centrifuge.newSubscription(channel, { ...delays, ...options });
    const watched = new StockSubscription(this.stock, subscription);
    subscription.subscribe();
    return watched;
  }

  /** A subscription that the server accepted. */
  async subscribed(channel: string, options: SubscriptionOptions = {}): Promise<StockSubscription> {
    const subscription = this.subscribe(channel, options);
    await subscription.events.next('subscribing');
    await subscription.events.next('subscribed');
    return subscription;
  }

  /** Publications of server-side subscriptions so far. */
  get received(): Received[] {
    return this.events.all('publication').map(publication => decodePublication(this.stock, publication));
  }
}

/** A stock subscription and everything it emitted. */
export class StockSubscription {
  readonly stock: Stock;
  readonly centrifuge: Subscription;
  readonly events: EventLog<SubscriptionEvents>;

  constructor(stock: Stock, subscription: Subscription) {
    this.stock = stock;
    this.centrifuge = subscription;
    this.events = new EventLog<SubscriptionEvents>(subscription, [
      'subscribing',
      'subscribed',
      'unsubscribed',
      'publication',
      'join',
      'leave',
      'error',
    ]);
  }

  get received(): Received[] {
    return this.events.all('publication').map(publication => decodePublication(this.stock, publication));
  }

  /** Waits until `count` publications came in all. */
  async receives(count: number): Promise<Received[]> {
    await this.events.atLeast(count, 'publication');
    return this.received;
  }
}
