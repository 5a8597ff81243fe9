import { defined } from '@msg/foundation/json';
import { type AuditPage, type AuditQuery, type AuditStore, matches } from './contract.ts';
import type { AuditRecord } from './record.ts';

/** Records that a ring keeps. */
export const DEFAULT_RING = 1000;

const POSITION = /^([\d-]{10}T[\d:.]{8,18}Z) ([\w-]{1,64})$/;

/** Order of records: by time, then by id. The same on every node, so that pages of several rings can be joined. */
export function newestFirst(a: AuditRecord, b: AuditRecord): number {
  const difference = Date.parse(b.at) - Date.parse(a.at);
  return difference !== 0 ? difference : b.id < a.id ? -1 : b.id > a.id ? 1 : 0;
}

/** The position of a record in that order. */
function positionOf({ at, id }: AuditRecord): string {
  return `${at} ${id}`;
}

function isBehind(record: AuditRecord, at: string, id: string): boolean {
  const difference = Date.parse(at) - Date.parse(record.at);
  return difference > 0 || (difference === 0 && record.id < id);
}

/** One page of records in order, with the position of the next one. `hasMore`: others follow that are not in `records`. */
export function pageOf(records: readonly AuditRecord[], limit: number, hasMore = false): AuditPage {
  const page = records.slice(0, limit);
  const last = page.at(-1);
  const next = (hasMore || records.length > limit) && last !== undefined ? positionOf(last) : undefined;
  return { records: page, ...defined({ next }) };
}

/** The last records of one node. */
export class AuditRing implements AuditStore {
  readonly #size: number;
  /** In the order of their first append. */
  readonly #records = new Map<string, AuditRecord>();

  constructor(size = DEFAULT_RING) {
    this.#size = size;
  }

  append(record: AuditRecord): void {
    this.#records.set(record.id, record);
    if (this.#records.size <= this.#size) return;
    const [oldest] = this.#records.keys();
    if (oldest !== undefined) this.#records.delete(oldest);
  }

  list({ filter, limit, after }: AuditQuery): AuditPage | undefined {
    const [, at = '', id = ''] = after === undefined ? [] : (POSITION.exec(after) ?? []);
    if (after !== undefined && at === '') return undefined;
    const records = [...this.#records.values()].filter(
      record => matches(filter, record) && (after === undefined || isBehind(record, at, id)),
    );
    return pageOf(records.sort(newestFirst), limit);
  }
}
