import { MsgError, type RpcRequest, type RpcResponse } from '@msg/core';
import { formatTimestamp } from '@msg/core/internal';
import type { AccessControl } from '../auth/access/access-control.ts';
import type { ChannelHistory, HistoryQuery, ShownPublication } from '../publishing/channel-history.ts';
import type { RpcHandlers } from './call.ts';
import { readLimit } from './cursor.ts';

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

/** Handler of the history of channels. */
export function historyHandlers(
  history: ChannelHistory,
  access: Pick<AccessControl, 'showsPayloads'>,
): Pick<RpcHandlers, 'History'> {
  return {
    async History(request, { principal }) {
      const page = await history.page(request.name, queryOf(request));
      const isShown = access.showsPayloads(principal);
      return {
        offset: page.offset,
        epoch: page.epoch,
        first_offset: page.firstOffset,
        kept: page.kept,
        publications: page.publications.map(publication => rowOf(publication, isShown)),
        more: page.more,
      };
    },
  };
}
