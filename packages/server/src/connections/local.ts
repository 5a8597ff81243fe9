import {
  disconnect,
  type LiveConnection,
  type LiveSubscription,
  type RealtimeNode,
  unsubscribe,
} from '@msg/engine';
import { processOf } from '@msg/engine/internal';
import type { Clock } from '@msg/foundation/clock';
import { FEED_PREFIX } from '../channels/reserved.ts';
import { BoundedRows } from './bounded-rows.ts';
import { rowsWithin } from './json-bytes.ts';
import { addressMatcher, type ConnectionQuery, comparePositions, keyOf, type RowPosition } from './query.ts';
import {
  type ConnectionRow,
  connectionRow,
  type PresenceRow,
  presenceRow,
  type SubscriptionRow,
  subscriptionRow,
} from './rows.ts';
import { placeOfUser } from './user-order.ts';
import { walk } from './walk.ts';

/** Subscriptions of one connection that an answer lists. */
const MAX_SUBSCRIPTIONS = 500;
/**
 * JSON bytes of the rows that one node answers at most: with the members beside them below 256 KiB. A page shows less, so
 * what is left out here is on a later page.
 */
const SURVEY_BYTES = 250_000;
/** Of one connection: those of its subscriptions, and those of the channels that it waits for. */
const SUBSCRIPTION_BYTES = 150_000;
const WAITING_BYTES = SURVEY_BYTES - SUBSCRIPTION_BYTES;

/** A row with its place in the order. */
export interface PlacedRow extends RowPosition {
  readonly row: ConnectionRow;
}

/** The best rows of one node. */
export interface LocalPage {
  readonly rows: readonly PlacedRow[];
  /** Connections of the node that match. */
  readonly total: number;
}

/** One connection with what it subscribes to. */
export interface ConnectionDetails {
  readonly connection: ConnectionRow;
  readonly subscriptions: readonly SubscriptionRow[];
  /** Subscriptions that are not listed. */
  readonly subscriptionsMore: number;
  readonly waiting: readonly { readonly channel: string; readonly attemptedAt: number }[];
}

/** A user and the connections of one node. */
export interface UserRow {
  readonly user: string;
  readonly connections: number;
}

/** Whom a disconnect or an unsubscribe is for: one connection, all of a user, or, for a channel, all. */
export interface Target {
  readonly client: string;
  readonly user: string;
}

type OwnNode = Pick<RealtimeNode, 'id' | 'connections' | 'subscriberCount'>;

function comparesText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What one node knows about its connections, and does to them. */
export class LocalConnections {
  readonly #node: () => OwnNode;
  readonly #clock: Pick<Clock, 'afterTurn'>;

  constructor(node: () => OwnNode, clock: Pick<Clock, 'afterTurn'>) {
    this.#node = node;
    this.#clock = clock;
  }

  /** The first `limit + 1` rows after the position: one more tells whether others follow. */
  async page(query: ConnectionQuery): Promise<LocalPage> {
    const { sort, descending, limit, after } = query;
    const id = processOf(this.#node().id);
    const compare = comparePositions(descending);
    const first = new BoundedRows<RowPosition & { readonly connection: LiveConnection }>(limit + 1, compare);
    const accepts = this.#filterOf(query);
    let total = 0;
    await walk(this.#clock, this.#candidates(query), connection => {
      if (!accepts(connection)) return;
      total += 1;
      const place = { key: keyOf(connection, sort), client: connection.client.id };
      if (after === undefined || compare(place, after) > 0) first.add({ ...place, connection });
    });
    const rows = first.rows.map(({ key, client, connection }) => ({
      key,
      client,
      row: connectionRow(connection, id),
    }));
    return { rows: withinSurvey(rows), total };
  }

  #filterOf({ user, client, transport, address, channel, minQueueBytes }: ConnectionQuery) {
    const inRange = addressMatcher(address);
    return (connection: LiveConnection): boolean =>
      (user === '' || connection.client.user === user) &&
      (client === '' || connection.client.id === client) &&
      (transport === '' || connection.client.transport.name === transport) &&
      (channel === '' || connection.client.isSubscribed(channel)) &&
      (minQueueBytes === 0 || connection.queueBytes >= minQueueBytes) &&
      (inRange === undefined || inRange(connection.client.transport.remoteAddress));
  }

  /** The smallest set that holds every match. */
  #candidates({ client, user, channel }: ConnectionQuery): Iterable<LiveConnection> {
    const { connections } = this.#node();
    if (client !== '') return listOf(connections.get(client));
    if (user !== '') return connections.ofUser(user);
    return channel === '' ? connections.all() : subscribersOf(connections, channel);
  }

  details(client: string): ConnectionDetails | undefined {
    const { connections, id: node } = this.#node();
    const id = processOf(node);
    const connection = connections.get(client);
    if (connection === undefined) return undefined;
    const all = [...connection.subscriptions()];
    const first = all.slice(0, MAX_SUBSCRIPTIONS).map(subscriptionRow);
    const subscriptions = rowsWithin(SUBSCRIPTION_BYTES, first, row => row);
    const waiting = [...connection.waiting()].slice(0, MAX_SUBSCRIPTIONS);
    return {
      connection: connectionRow(connection, id),
      subscriptions,
      subscriptionsMore: all.length - subscriptions.length,
      waiting: rowsWithin(WAITING_BYTES, waiting, row => row),
    };
  }

  /** The first `limit + 1` users with the prefix behind the place `after`, and how many there are. */
  async users(
    prefix: string,
    limit: number,
    after: string,
  ): Promise<{ rows: readonly UserRow[]; total: number }> {
    const first = new BoundedRows<UserRow & { readonly place: string }>(limit + 1, (a, b) =>
      comparesText(a.place, b.place),
    );
    let total = 0;
    await walk(this.#clock, this.#node().connections.users(), ([user, connections]) => {
      if (!user.startsWith(prefix)) return;
      total += 1;
      const place = placeOfUser(user);
      if (place > after) first.add({ place, user, connections });
    });
    const rows = first.rows.map(({ user, connections }) => ({ user, connections }));
    return { rows: withinSurvey(rows), total };
  }

  /** The first `limit + 1` subscribers of a channel behind the id `after`, and how many there are. */
  async presence(
    channel: string,
    limit: number,
    after: string,
  ): Promise<{ rows: readonly PresenceRow[]; total: number }> {
    const node = this.#node();
    const { connections } = node;
    const id = processOf(node.id);
    const first = new BoundedRows<{ readonly client: string; readonly live: LiveSubscription }>(
      limit + 1,
      (a, b) => comparesText(a.client, b.client),
    );
    await walk(this.#clock, connections.ofChannel(channel), live => {
      const { id: client } = live.client;
      if (client > after) first.add({ client, live });
    });
    const rows = first.rows.map(({ live }) => presenceRow(live, id));
    return { rows: withinSurvey(rows), total: node.subscriberCount(channel) };
  }

  /** Ends connections; returns how many. */
  disconnect(target: Target, reconnect: boolean, reason: string): number {
    const ending = reconnect ? disconnect.forceReconnect() : disconnect.forceDisconnect();
    const connections = [...this.#targeted(target)].filter(
      connection => target.client !== '' || !isFeed(connection),
    );
    for (const { client } of connections)
      client.disconnect(ending.code, reason === '' ? ending.reason : reason);
    return connections.length;
  }

  /** Ends the subscriptions of a channel; an empty target: all. Returns how many. */
  unsubscribe(channel: string, { client, user }: Target): number {
    const { code, reason } = unsubscribe.serverUnsubscribe;
    const clients = [...this.#node().connections.ofChannel(channel)]
      .map(live => live.client)
      .filter(({ id, user: other }) => (client === '' || id === client) && (user === '' || other === user));
    for (const subscriber of clients) subscriber.unsubscribe(channel, code, reason);
    return clients.length;
  }

  #targeted({ client, user }: Target): Iterable<LiveConnection> {
    const { connections } = this.#node();
    return client === '' ? connections.ofUser(user) : listOf(connections.get(client));
  }
}

/** The rows of an answer to another node: two at least, of which one tells that others follow. */
function withinSurvey<Row>(rows: readonly Row[]): readonly Row[] {
  const { length } = rowsWithin(SURVEY_BYTES, rows, row => row);
  return rows.slice(0, Math.max(length, 2));
}

/** The connection of an operator's page or command: a disconnect of its user spares it. */
function isFeed(connection: LiveConnection): boolean {
  for (const channel of connection.client.channels()) if (channel.startsWith(FEED_PREFIX)) return true;
  return false;
}

function listOf<T>(item: T | undefined): readonly T[] {
  return item === undefined ? [] : [item];
}

function* subscribersOf(connections: OwnNode['connections'], channel: string): Iterable<LiveConnection> {
  for (const { client } of connections.ofChannel(channel)) yield* listOf(connections.get(client.id));
}
