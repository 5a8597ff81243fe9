import type { MaybePromise } from '@msg/foundation/promises';
import type { AuditRecord } from './record.ts';

/** Which records are wanted; absent members accept every record. */
export interface AuditFilter {
  readonly actor?: string;
  readonly method?: string;
  /** The whole target, or the name behind its kind. */
  readonly target?: string;
  readonly outcome?: string;
  readonly via?: string;
  /** Unix milliseconds, both included. */
  readonly sinceMs?: number;
  readonly untilMs?: number;
}

/** A page of records, the newest first. */
export interface AuditPage {
  readonly records: readonly AuditRecord[];
  /** The position of the next page; absent: it is the last page. */
  readonly next?: string;
}

/** Where a page begins and how many records it has. */
export interface AuditQuery {
  readonly filter: AuditFilter;
  readonly limit: number;
  /** `next` of the page before; absent: the newest records. */
  readonly after?: string;
}

/**
 * The records of audited calls. Every implementation passes `AUDIT_STORE_CONTRACT`. Operations reject only when the store
 * fails.
 */
export interface AuditStore {
  /** Adds a record; one with the id of an earlier record replaces it. */
  append(record: AuditRecord): MaybePromise<void>;
  /** @returns undefined for a position of another listing */
  list(query: AuditQuery): MaybePromise<AuditPage | undefined>;
}

/** Whether a record passes a filter. */
export function matches(filter: AuditFilter, record: AuditRecord): boolean {
  const { actor, method, target, outcome, via, sinceMs, untilMs } = filter;
  const at = Date.parse(record.at);
  return (
    (actor === undefined || record.actor === actor) &&
    (method === undefined || record.method === method) &&
    (outcome === undefined || record.outcome === outcome) &&
    (via === undefined || record.via === via) &&
    (target === undefined || record.target === target || nameOf(record.target) === target) &&
    (sinceMs === undefined || at >= sinceMs) &&
    (untilMs === undefined || at <= untilMs)
  );
}

function nameOf(target: string): string {
  return target.slice(target.indexOf(':') + 1);
}
