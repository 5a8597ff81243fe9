import { MsgError, type RpcRequest, type RpcResponse } from '@msg/core';
import { formatTimestamp, matchesPattern, parsePattern, type ScopePattern } from '@msg/core/internal';
import { defined } from '@msg/foundation/json';
import { visibleChannels } from '../auth/access/bearer-rights.ts';
import type { Principal } from '../auth/access/principal.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import type { DirectoryPosition, DirectorySort } from '../channels/directory-index.ts';
import type { ChannelManager } from '../channels/manager.ts';
import { type ChannelRecord, channelSummary } from '../channels/record.ts';
import type { ChannelCounts, CountedChannels } from '../connections/channel-counts.ts';
import { foreignCursor, readCursor, readLimit, writeCursor } from './cursor.ts';

const SORTS = ['name', 'last_active', 'created_at', 'subscribers'];
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const MAX_COUNTED = 200;
const MAX_QUERY_BYTES = 64;
const NOBODY: CountedChannels = { counts: new Map(), missing: [] };

export interface ChannelListingParts {
  readonly channels: ChannelManager;
  readonly directory: ChannelDirectory;
  readonly channelCounts: ChannelCounts;
}

type Request = RpcRequest<'ListChannels'>;
type Response = RpcResponse<'ListChannels'>;
type Accepts = (record: ChannelRecord) => boolean;

function invalid(text: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', text);
}

function oneOf(member: string, value: string, values: readonly string[]): string {
  if (value === '' || values.includes(value)) return value;
  throw invalid(`${member} must be one of ${values.join(', ')}; got ${JSON.stringify(value.slice(0, 64))}`);
}

/** The channels that the caller may see: all of them for a request without members, else a page. */
export async function listChannels(
  parts: ChannelListingParts,
  request: Request,
  principal: Principal,
): Promise<Response> {
  if (Object.values(request).every(value => !value)) return all(await parts.channels.list(), principal);
  const filter = filterOf(request, principal);
  const limit = readLimit(request.limit, DEFAULT_LIMIT, MAX_LIMIT);
  if (request.counts && limit > MAX_COUNTED)
    throw invalid(`counts needs a limit of at most ${MAX_COUNTED}; got ${limit}`);
  if (request.sort === 'subscribers') return busiest(parts, request, filter, limit);
  return page(parts, request, filter, limit);
}

function all(records: readonly ChannelRecord[], principal: Principal): Response {
  const visible = visibleChannels(principal, records);
  return {
    channels: visible.map(channelSummary),
    next_cursor: '',
    total: visible.length,
    as_of: '',
    subscribers: new Map(),
    missing_nodes: [],
  };
}

interface Filter {
  /** Undefined: every channel. */
  readonly accepts: Accepts | undefined;
  readonly query: string;
  readonly patterns: readonly ScopePattern[];
}

/** @throws MsgError MSG_INVALID_ARGUMENT naming the member */
function filterOf(request: Request, principal: Principal): Filter {
  oneOf('sort', request.sort, SORTS);
  const state = oneOf('state', request.state, ['open', 'closed']);
  const visibility = oneOf('visibility', request.visibility, ['public', 'private']);
  const query = request.query.toLowerCase();
  if (Buffer.byteLength(query) > MAX_QUERY_BYTES)
    throw invalid(`query must not be longer than ${MAX_QUERY_BYTES} bytes`);
  const patterns = patternsOf(request.pattern);
  const conditions: Accepts[] = [];
  if (state !== '') conditions.push(record => record.state === state);
  if (visibility !== '') conditions.push(record => record.visibility === visibility);
  if (query !== '') conditions.push(({ name }) => name.includes(query));
  if (patterns.length > 0) conditions.push(({ name }) => isCovered(name, patterns));
  if (principal.kind !== 'anonymous' && principal.token.claims.scopes !== undefined)
    conditions.push(record => visibleChannels(principal, [record]).length > 0);
  const accepts: Accepts | undefined =
    conditions.length === 0 ? undefined : record => conditions.every(holds => holds(record));
  return { accepts, query, patterns };
}

/** `*` as visibility means both. */
function patternsOf(text: string): readonly ScopePattern[] {
  if (text === '') return [];
  if (!text.startsWith('*:')) return [parsePattern(text)];
  return [parsePattern(`public${text.slice(1)}`), parsePattern(`private${text.slice(1)}`)];
}

function isCovered(name: string, patterns: readonly ScopePattern[]): boolean {
  const [visibility = '', rest = ''] = name.split(':', 2);
  const channel = { visibility, segments: rest.split('.') };
  return patterns.some(pattern => matchesPattern(pattern, channel));
}

async function page(
  { directory, channelCounts }: ChannelListingParts,
  request: Request,
  { accepts }: Filter,
  limit: number,
): Promise<Response> {
  const { descending, counts } = request;
  const sort = (request.sort || 'name') as DirectorySort; // checked
  const after = readPosition(request, sort);
  const result = await directory.page({ sort, descending, limit, ...defined({ accepts, after }) });
  const counted = counts ? await channelCounts.of(result.records.map(({ name }) => name)) : NOBODY;
  // Activity moves rows behind a page that was read, and before one that was not.
  const next = sort === 'last_active' ? undefined : result.next;
  return {
    channels: result.records.map(channelSummary),
    next_cursor: next === undefined ? '' : writeCursor(listingOf(request, sort), positionText(next, sort)),
    total: result.total,
    as_of: formatTimestamp(result.asOf),
    subscribers: counted.counts,
    missing_nodes: counted.missing,
  };
}

/** Those with the most subscribers; how many channels have some is not known. */
async function busiest(
  { directory, channelCounts }: ChannelListingParts,
  { cursor, descending }: Request,
  { accepts, query, patterns }: Filter,
  limit: number,
): Promise<Response> {
  if (cursor !== '') throw foreignCursor();
  const { counts, missing } = await channelCounts.busiest({ query, patterns });
  const { records, asOf } = await directory.only([...counts.keys()]);
  const ordered = descending ? records : records.toReversed();
  const rows = (accepts === undefined ? ordered : ordered.filter(accepts)).slice(0, limit);
  return {
    channels: rows.map(channelSummary),
    next_cursor: '',
    total: -1,
    as_of: formatTimestamp(asOf),
    subscribers: new Map(rows.map(({ name }) => [name, counts.get(name) ?? 0])),
    missing_nodes: missing,
  };
}

/** Each order is a listing of its own. */
function listingOf({ descending }: Request, sort: DirectorySort): string {
  return `channels ${sort}${descending ? ' descending' : ''}`;
}

/** @throws MsgError MSG_INVALID_ARGUMENT for a cursor of another listing or order */
function readPosition(request: Request, sort: DirectorySort): DirectoryPosition | undefined {
  const text = readCursor(listingOf(request, sort), request.cursor);
  if (text === undefined) return undefined;
  if (sort === 'name') return { key: text, name: text };
  const [, time, name] = /^(\d{1,16}) (.+)$/.exec(text) ?? [];
  if (time === undefined || name === undefined) throw foreignCursor();
  return { key: Number(time), name };
}

function positionText({ key, name }: DirectoryPosition, sort: DirectorySort): string {
  return sort === 'name' ? name : `${key} ${name}`;
}
