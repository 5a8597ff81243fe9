import { MsgError } from '@msg/core';
import type { HistoryFilter, HistoryResult, Publication, RealtimeNode } from '@msg/engine';
import type { ChannelOptionRules } from '../channels/channel-options.ts';
import type { ChannelManager } from '../channels/manager.ts';
import { brokerFailed } from './broker-failure.ts';

/** Payload bytes of one page; a longer page ends early, and earlier where its JSON is longer. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024;

export interface ChannelHistoryParts {
  readonly channels: Pick<ChannelManager, 'get'>;
  readonly rules: Pick<ChannelOptionRules, 'of'>;
  /** The engine's node. */
  readonly node: Pick<RealtimeNode, 'operational' | 'history'>;
}

/** Which publications of a channel are wanted. */
export interface HistoryQuery {
  /** The first offset of the page; 0: the oldest, or with `reverse` the newest. */
  readonly fromOffset: number;
  /** At least 1. */
  readonly limit: number;
  /** The newest first. */
  readonly reverse: boolean;
  /** A longer payload is cut. */
  readonly maxPayloadBytes: number;
}

/** A publication as operators see it. */
export interface ShownPublication {
  readonly offset: number;
  /** Unix milliseconds; 0: unknown. */
  readonly time: number;
  /** Bytes of the whole payload. */
  readonly size: number;
  readonly data: string;
  readonly truncated: boolean;
  /** How `data` holds the payload: its exact text, or base64. */
  readonly encoding: 'json' | 'text' | 'base64';
  readonly tags: ReadonlyMap<string, string>;
  /** The publisher, for publications of clients. */
  readonly user: string;
  readonly client: string;
}

/** A page of the history of a channel. */
export interface HistoryPage {
  /** Top of the stream. */
  readonly offset: number;
  readonly epoch: string;
  /** The oldest publication that is retained; 0: none. */
  readonly firstOffset: number;
  /** The channel keeps a history. */
  readonly kept: boolean;
  readonly publications: readonly ShownPublication[];
  /** Further publications follow in this direction. */
  readonly more: boolean;
}

/** Reads the history of channels without a trace: nothing is created, touched or kept alive. Source: console, 7.4. */
export class ChannelHistory {
  readonly #parts: ChannelHistoryParts;

  constructor(parts: ChannelHistoryParts) {
    this.#parts = parts;
  }

  /** @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND, MSG_BROKER_NOT_READY, MSG_BROKER_INTERNAL */
  async page(name: string, query: HistoryQuery): Promise<HistoryPage> {
    const { channels, rules, node } = this.#parts;
    await channels.get(name);
    if (!node.operational) throw new MsgError('MSG_BROKER_NOT_READY', 'the broker is not running');
    if (rules.of(name).stream.size === 0)
      return { offset: 0, epoch: '', firstOffset: 0, kept: false, publications: [], more: false };
    const [page, oldest] = await Promise.all([
      this.#read(name, filterOf(query)),
      this.#read(name, { limit: 1, peek: true }),
    ]);
    const { offset, epoch } = page;
    const wanted = page.publications.slice(0, query.limit);
    const fitting = withinBytes(wanted, query.maxPayloadBytes);
    return {
      offset,
      epoch,
      firstOffset: oldest.publications[0]?.offset ?? 0,
      kept: true,
      publications: fitting.map(publication => shownPublication(publication, query.maxPayloadBytes)),
      more: page.publications.length > fitting.length,
    };
  }

  #read(name: string, filter: HistoryFilter): Promise<HistoryResult> {
    return this.#parts.node.history(name, filter).catch(brokerFailed('the broker did not read the history'));
  }
}

/** One publication more than the page has tells whether others follow. */
function filterOf({ fromOffset, limit, reverse }: HistoryQuery): HistoryFilter {
  const filter = { limit: limit + 1, reverse, peek: true };
  if (fromOffset === 0) return filter;
  // A read begins behind the position that it is given.
  return { ...filter, since: { offset: reverse ? fromOffset + 1 : fromOffset - 1, epoch: '' } };
}

/** As many publications as one answer may hold; the first one always. */
function withinBytes(publications: readonly Publication[], maxPayloadBytes: number): readonly Publication[] {
  let bytes = 0;
  const end = publications.findIndex(({ data }, index) => {
    bytes += Math.min(data.bytes.length, maxPayloadBytes);
    return index > 0 && bytes > MAX_PAGE_BYTES;
  });
  return end < 0 ? publications : publications.slice(0, end);
}

/** A publication as operators see it, its payload cut at `maxBytes`. */
export function shownPublication(
  { data, offset, time, tags, info }: Publication,
  maxBytes: number,
): ShownPublication {
  const { bytes, kind } = data;
  const encoding = kind === 'binary' ? 'base64' : kind;
  const part = bytes.subarray(0, encoding === 'base64' ? maxBytes : endOfCharacter(bytes, maxBytes));
  return {
    offset,
    time,
    size: bytes.length,
    data: Buffer.from(part.buffer, part.byteOffset, part.length).toString(
      encoding === 'base64' ? 'base64' : 'utf8',
    ),
    truncated: part.length < bytes.length,
    encoding,
    tags,
    user: info?.user ?? '',
    client: info?.client ?? '',
  };
}

/** The longest beginning of a UTF-8 text that ends between two characters. */
function endOfCharacter(bytes: Uint8Array, maxBytes: number): number {
  if (bytes.length <= maxBytes) return bytes.length;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return end;
}
