import { BlockList, isIP } from 'node:net';
import { MsgError } from '@msg/core';
import type { LiveConnection } from '@msg/engine';
import { placeOfUser } from './user-order.ts';

/** The orders of a listing. By bytes and by subscriptions rows move while pages are read: such a listing has one page. */
export const SORTS = ['age', 'user', 'queue_bytes', 'subscriptions'] as const;
export type ConnectionSort = (typeof SORTS)[number];

/** Which connections are wanted; empty members accept every connection. */
export interface ConnectionQuery {
  readonly user: string;
  readonly client: string;
  readonly transport: string;
  /** An address or a range of them. */
  readonly address: string;
  /** Name of a channel that they are subscribed to. */
  readonly channel: string;
  readonly minQueueBytes: number;
  readonly sort: ConnectionSort;
  readonly descending: boolean;
  readonly limit: number;
  /** The last row of the page before. */
  readonly after?: RowPosition;
}

/** The place of a row in the order: its key, and its id among equal keys. */
export interface RowPosition {
  readonly key: string | number;
  readonly client: string;
}

export function isStable(sort: ConnectionSort): boolean {
  return sort === 'age' || sort === 'user';
}

/** The key of a connection: the youngest is the first by age. */
export function keyOf(connection: LiveConnection, sort: ConnectionSort): string | number {
  switch (sort) {
    case 'age':
      return -connection.connectedAt;
    case 'user':
      return placeOfUser(connection.client.user);
    case 'queue_bytes':
      return connection.queueBytes;
    case 'subscriptions':
      return connection.subscriptionCount;
  }
}

/** The order of positions. */
export function comparePositions(descending: boolean): (a: RowPosition, b: RowPosition) => number {
  const direction = descending ? -1 : 1;
  return (a, b) => {
    if (a.key !== b.key) return (a.key < b.key ? -1 : 1) * direction;
    return a.client === b.client ? 0 : (a.client < b.client ? -1 : 1) * direction;
  };
}

/**
 * Whether an address is in a range; `undefined` for an empty text, which accepts every address.
 * @throws MsgError MSG_INVALID_ARGUMENT for a text that is neither an address nor a range
 */
export function addressMatcher(text: string): ((address: string) => boolean) | undefined {
  if (text === '') return undefined;
  const [address = '', bits] = text.split('/', 2);
  const version = isIP(address);
  const most = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (version === 0 || !(prefix <= most)) {
    const quoted = JSON.stringify(text.slice(0, 64));
    throw new MsgError(
      'MSG_INVALID_ARGUMENT',
      `address must be an IP address or a range of them; got ${quoted}`,
    );
  }
  const list = new BlockList();
  list.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6');
  return other => {
    const family = isIP(other);
    return family !== 0 && list.check(other, family === 4 ? 'ipv4' : 'ipv6');
  };
}
