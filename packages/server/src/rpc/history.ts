import { MsgError, type RpcRequest, type RpcResponse } from '@msg/core';
import { formatTimestamp } from '@msg/core/internal';
import type { AccessControl } from '../auth/access/access-control.ts';
import { jsonBytes } from '../connections/json-bytes.ts';
import type { ChannelHistory, HistoryQuery, ShownPublication } from '../publishing/channel-history.ts';
import type { RpcHandlers } from './call.ts';
import { readLimit } from './cursor.ts';
import { ANSWER_BYTES, cutTo, halfOfText, halfOfTexts, withinAnswer } from './page-bytes.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const DEFAULT_PAYLOAD_BYTES = 16 * 1024;
const MAX_PAYLOAD_BYTES = 1024 * 1024;

type Row = RpcResponse<'History'>['publications'][number];

/** @throws MsgError MSG_INVALID_ARGUMENT */
function queryOf({ from_offset, limit, reverse, max_payload_bytes }: RpcRequest<'History'>): HistoryQuery {
  if (max_payload_bytes < 0 || max_payload_bytes > MAX_PAYLOAD_BYTES) {
    const text = `max_payload_bytes must be from 1 to ${MAX_PAYLOAD_BYTES}; got ${max_payload_bytes}`;
    throw new MsgError('MSG_INVALID_ARGUMENT', text);
  }
  return {
    fromOffset: from_offset,
    limit: readLimit(limit, DEFAULT_LIMIT, MAX_LIMIT),
    reverse,
    maxPayloadBytes: max_payload_bytes || DEFAULT_PAYLOAD_BYTES,
  };
}

function rowOf({ time, ...publication }: ShownPublication, isShown: boolean): Row {
  const row = { ...publication, at: time === 0 ? '' : formatTimestamp(time), hidden: false };
  return isShown ? row : { ...row, data: '', truncated: false, hidden: true };
}

/** The row with its payload or its tags cut further, where they are longer than an answer may be. */
function cutRow(row: Row): Row {
  return cutTo(ANSWER_BYTES, row, halfOfRow);
}

function halfOfRow(row: Row): Row | undefined {
  const { data, tags } = row;
  if (data === '' && tags.size === 0) return undefined;
  const half = jsonBytes(data) < jsonBytes(tags) ? { tags: halfOfTexts(tags) } : { data: halfOfData(row) };
  return { ...row, ...half, truncated: true };
}

function halfOfData({ data, encoding }: Row): string {
  // Four characters of base64 are three bytes.
  return encoding === 'base64' ? data.slice(0, 4 * (data.length >> 3)) : halfOfText(data);
}

/** Handler of the history of channels. */
export function historyHandlers(
  history: ChannelHistory,
  access: Pick<AccessControl, 'showsPayloads'>,
): Pick<RpcHandlers, 'History'> {
  return {
    async History(request, { principal }) {
      const page = await history.page(request.name, queryOf(request));
      const isShown = access.showsPayloads(principal);
      const wanted = page.publications.map(publication => cutRow(rowOf(publication, isShown)));
      const { rows: publications, more } = withinAnswer(wanted);
      return {
        offset: page.offset,
        epoch: page.epoch,
        first_offset: page.firstOffset,
        kept: page.kept,
        publications,
        more: page.more || more,
      };
    },
  };
}
