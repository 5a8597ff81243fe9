import { MsgError, parseName, type RpcRequest } from '@msg/core';
import { evaluateGrants, formatTimestamp } from '@msg/core/internal';
import { defined } from '@msg/foundation/json';
import type { AccessControl } from '../auth/access/access-control.ts';
import { coversEverything } from '../auth/access/bearer-rights.ts';
import type { Principal } from '../auth/access/principal.ts';
import type { ChannelManager } from '../channels/manager.ts';
import type { ClusterConnections } from '../connections/cluster.ts';
import {
  addressMatcher,
  type ConnectionQuery,
  type ConnectionSort,
  isStable,
  SORTS,
} from '../connections/query.ts';
import { placeOfUser } from '../connections/user-order.ts';
import type { RpcHandlers } from './call.ts';
import { readRowCursor, writeRowCursor } from './connection-cursor.ts';
import { readCursor, readLimit, writeCursor } from './cursor.ts';
import { fitting } from './page-bytes.ts';

type ConnectionMethods =
  | 'ListConnections'
  | 'GetConnection'
  | 'ListUsers'
  | 'Disconnect'
  | 'Unsubscribe'
  | 'PresenceList';

const DEFAULT_LIMIT = 50;
const DEFAULT_PRESENCE_LIMIT = 100;
const MAX_LIMIT = 200;
const MAX_REASON_BYTES = 64;
/** Why a client waits for a channel; one that is open again lets it in with its next attempt. */
const REASONS = {
  open: 'the channel is open, the next attempt succeeds',
  closed: 'the channel is closed',
  deleted: 'there is no such channel',
  none: 'there is no such channel',
} as const;

export interface ConnectionHandlerParts {
  readonly connections: ClusterConnections;
  readonly channels: Pick<ChannelManager, 'get' | 'stateOf'>;
  readonly access: Pick<AccessControl, 'showsPayloads'>;
}

/** Handlers of the group of live connections. */
export function connectionHandlers(parts: ConnectionHandlerParts): Pick<RpcHandlers, ConnectionMethods> {
  return { ...listHandlers(parts), ...detailHandlers(parts), ...endHandlers(parts) };
}

/** Connections, users and the presence of a channel, page by page. */
function listHandlers({
  connections,
  channels,
  access,
}: ConnectionHandlerParts): Pick<RpcHandlers, 'ListConnections' | 'ListUsers' | 'PresenceList'> {
  return {
    async ListConnections(request, { principal }) {
      requireVisible(principal, request.name);
      const query = queryOf(request);
      const page = await connections.page(query, request.node === '' ? undefined : request.node);
      const rows = fitting(page.rows, ({ row }) => row);
      const more = page.more || rows.length < page.rows.length;
      const last = more && isStable(query.sort) ? rows.at(-1) : undefined;
      return {
        connections: rows.map(({ row }) => row),
        total: page.total,
        next_cursor: last === undefined ? '' : writeRowCursor(query, last),
        missing_nodes: page.missing,
      };
    },
    async ListUsers({ query, limit: asked, cursor }) {
      const limit = readLimit(asked, DEFAULT_LIMIT, MAX_LIMIT);
      const page = await connections.users(query, limit, readCursor('users', cursor) ?? '');
      const rows = fitting(page.rows, row => row);
      const last = page.more || rows.length < page.rows.length ? rows.at(-1) : undefined;
      return {
        users: rows,
        total: page.total,
        next_cursor: last === undefined ? '' : writeCursor('users', placeOfUser(last.user)),
        missing_nodes: page.missing,
      };
    },
    async PresenceList({ name, limit: asked, cursor }, { principal }) {
      const limit = readLimit(asked, DEFAULT_PRESENCE_LIMIT, MAX_LIMIT);
      const after = readCursor('presence', cursor) ?? '';
      await channels.get(name);
      const page = await connections.presence(name, limit, after);
      const hidden = !access.showsPayloads(principal);
      const infos = hidden ? { conn_info: '', chan_info: '' } : {};
      const entries = fitting(
        page.rows.map(row => ({ ...row, ...infos, hidden })),
        row => row,
      );
      const last = page.more || entries.length < page.rows.length ? entries.at(-1) : undefined;
      return {
        entries,
        total: page.total,
        next_cursor: last === undefined ? '' : writeCursor('presence', last.client),
        missing_nodes: page.missing,
      };
    },
  };
}

/** One connection, with its channels and those that it waits for. */
function detailHandlers({
  connections,
  channels,
}: ConnectionHandlerParts): Pick<RpcHandlers, 'GetConnection'> {
  return {
    async GetConnection({ client }, { principal }) {
      if (client === '') throw invalid('client is required');
      const { details, missing } = await connections.get(client);
      const subscriptions = (details?.subscriptions ?? []).filter(({ channel }) =>
        isCovered(principal, channel),
      );
      if (details === undefined || (isBounded(principal) && subscriptions.length === 0))
        throw unknownConnection();
      const waiting = details.waiting.filter(({ channel }) => isCovered(principal, channel));
      return {
        connection: details.connection,
        subscriptions,
        subscriptions_more: isBounded(principal) ? 0 : details.subscriptionsMore,
        waiting: await Promise.all(
          waiting.map(async ({ channel, attemptedAt }) => ({
            channel,
            reason: REASONS[(await channels.stateOf(channel)) ?? 'none'],
            last_attempt: formatTimestamp(attemptedAt),
          })),
        ),
        missing_nodes: missing,
      };
    },
  };
}

/** Ends connections and subscriptions. */
function endHandlers({
  connections,
}: ConnectionHandlerParts): Pick<RpcHandlers, 'Disconnect' | 'Unsubscribe'> {
  return {
    async Disconnect({ client, user, reconnect, reason }) {
      if ((client === '') === (user === '')) throw invalid('exactly one of client and user is required');
      if (Buffer.byteLength(reason) > MAX_REASON_BYTES)
        throw invalid(`reason must not be longer than ${MAX_REASON_BYTES} bytes`);
      const { count, missing } = await connections.disconnect({ client, user }, reconnect, reason);
      if (count === 0 && client !== '' && missing.length === 0) throw unknownConnection();
      return { disconnected: count, missing_nodes: missing };
    },
    async Unsubscribe({ name, client, user, all }) {
      parseName(name);
      if ([client !== '', user !== '', all].filter(Boolean).length !== 1)
        throw invalid('exactly one of client, user and all is required');
      const { count, missing } = await connections.unsubscribe(name, { client, user });
      if (count === 0 && client !== '' && missing.length === 0) throw unknownConnection();
      return { unsubscribed: count, missing_nodes: missing };
    },
  };
}

function invalid(text: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', text);
}

function unknownConnection(): MsgError {
  return invalid('no such connection');
}

/** @throws MsgError MSG_INVALID_ARGUMENT naming the member */
function queryOf(request: RpcRequest<'ListConnections'>): ConnectionQuery {
  const { user, client, transport, address, name, min_queue_bytes, descending, cursor } = request;
  const sort = (request.sort || 'age') as ConnectionSort; // checked next
  if (!SORTS.includes(sort)) throw invalid(`sort must be one of ${SORTS.join(', ')}`);
  if (min_queue_bytes < 0) throw invalid(`min_queue_bytes must be 0 or more; got ${min_queue_bytes}`);
  addressMatcher(address); // each node reads it again: a bad one is refused here
  const after = readRowCursor({ sort, descending }, cursor);
  return {
    user,
    client,
    transport,
    address,
    channel: name,
    minQueueBytes: min_queue_bytes,
    sort,
    descending,
    limit: readLimit(request.limit, DEFAULT_LIMIT, MAX_LIMIT),
    ...defined({ after }),
  };
}

/** The caller's scopes leave channels out. */
function isBounded(principal: Principal): boolean {
  return principal.kind !== 'anonymous' && !coversEverything(principal.token);
}

function isCovered(principal: Principal, channel: string): boolean {
  if (principal.kind === 'anonymous' || principal.token.claims.scopes === undefined) return true;
  return evaluateGrants(principal.token.grants, channel, 'manage').allowed;
}

/** @throws MsgError MSG_AUTH_DENIED for a caller with scopes that does not name a channel that they cover */
function requireVisible(principal: Principal, channel: string): void {
  if (!isBounded(principal) || (channel !== '' && isCovered(principal, channel))) return;
  throw new MsgError(
    'MSG_AUTH_DENIED',
    'a bearer with scopes lists connections only by the name of a channel that they cover',
  );
}
