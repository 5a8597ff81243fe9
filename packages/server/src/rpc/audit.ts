import { MsgError, type RpcRequest } from '@msg/core';
import { defined } from '@msg/foundation/json';
import type { AuditFilter } from '../audit/contract.ts';
import { pageOf } from '../audit/memory.ts';
import type { AuditReader } from '../audit/reader.ts';
import { rowsWithin } from '../connections/json-bytes.ts';
import type { RpcHandlers } from './call.ts';
import { foreignCursor, readCursor, readLimit, writeCursor } from './cursor.ts';
import { ANSWER_BYTES } from './page-bytes.ts';

const LISTING = 'audit';
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 500;

/** A text of a filter; empty: any. */
function wanted(text: string): string | undefined {
  return text === '' ? undefined : text;
}

/** @throws MsgError MSG_INVALID_ARGUMENT for another form of time */
function timeOf(text: string, member: string): number | undefined {
  if (text === '') return undefined;
  const ms = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  const quoted = JSON.stringify(text.slice(0, 64));
  throw new MsgError('MSG_INVALID_ARGUMENT', `${member} must be an RFC 3339 time; got ${quoted}`);
}

function filterOf(request: RpcRequest<'AuditList'>): AuditFilter {
  const { actor, method, target, outcome, via, since, until } = request;
  return defined({
    actor: wanted(actor),
    method: wanted(method),
    target: wanted(target),
    outcome: wanted(outcome),
    via: wanted(via),
    sinceMs: timeOf(since, 'since'),
    untilMs: timeOf(until, 'until'),
  });
}

/** Handler of the audit. */
export function auditHandlers(reader: AuditReader): Pick<RpcHandlers, 'AuditList'> {
  return {
    async AuditList(request) {
      const limit = readLimit(request.limit, DEFAULT_LIMIT, MAX_LIMIT);
      const after = readCursor(LISTING, request.cursor);
      const page = await reader.list({ filter: filterOf(request), limit, ...defined({ after }) });
      if (page === undefined) throw foreignCursor();
      const fitting = rowsWithin(ANSWER_BYTES, page.records, record => record);
      const isCut = fitting.length < page.records.length;
      const { records, next } = isCut ? pageOf(fitting, fitting.length, true) : page;
      return {
        records,
        next_cursor: next === undefined ? '' : writeCursor(LISTING, next),
        missing_nodes: page.missing,
      };
    },
  };
}
