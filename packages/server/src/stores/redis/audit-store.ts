import { defined, isRecord } from '@msg/foundation/json';
import { lua } from '@msg/redis';
import { type AuditPage, type AuditQuery, type AuditStore, matches } from '../../audit/contract.ts';
import type { AuditRecord } from '../../audit/record.ts';
import type { SharedStore } from './shared-store.ts';

const APPEND = lua('./audit-append.lua', import.meta.url);

/** Records that the stream keeps, roughly. */
const CAPACITY = 10_000;
/** Entries that one command reads. */
const SLICE = 1000;
const ENTRY_ID = /^\d{1,19}-\d{1,19}$/;
const NEWEST = '+';

type Entry = readonly [id: string, fields: readonly string[]];

/** The record of an entry; undefined for one that another program wrote. */
function recordOf([, fields]: Entry): AuditRecord | undefined {
  const text = fields[fields.indexOf('record') + 1] ?? '';
  try {
    const value: unknown = JSON.parse(text);
    // Only the script of this store writes records.
    return isRecord(value) && typeof value['id'] === 'string' ? (value as unknown as AuditRecord) : undefined;
  } catch {
    return undefined;
  }
}

/** The records that all nodes share: the stream `<prefix>:audit`. */
export class RedisAuditStore implements AuditStore {
  readonly #store: SharedStore;
  readonly #stream: string;
  readonly #started: string;

  constructor(store: SharedStore) {
    this.#store = store;
    this.#stream = store.key('audit');
    this.#started = store.key('audit:started');
  }

  async append(record: AuditRecord): Promise<void> {
    const isStarted = record.outcome === 'started' ? 1 : 0;
    const args = [record.id, JSON.stringify(record), CAPACITY, isStarted];
    await this.#store.run(APPEND, [this.#stream, this.#started], args);
  }

  async list({ filter, limit, after }: AuditQuery): Promise<AuditPage | undefined> {
    if (after !== undefined && !ENTRY_ID.test(after)) return undefined;
    const page: { readonly id: string; readonly record: AuditRecord }[] = [];
    let end = after === undefined ? NEWEST : `(${after}`;
    for (;;) {
      const entries = (await this.#store.call(
        'XREVRANGE',
        this.#stream,
        end,
        '-',
        'COUNT',
        SLICE,
      )) as Entry[];
      for (const entry of entries) {
        const record = recordOf(entry);
        if (record === undefined || !matches(filter, record)) continue;
        if (page.length === limit) return pageOf(page, true);
        page.push({ id: entry[0], record });
      }
      const last = entries.at(-1);
      if (last === undefined || entries.length < SLICE) return pageOf(page, false);
      end = `(${last[0]}`;
    }
  }
}

function pageOf(
  page: readonly { readonly id: string; readonly record: AuditRecord }[],
  hasMore: boolean,
): AuditPage {
  const next = hasMore ? page.at(-1)?.id : undefined;
  return { records: page.map(({ record }) => record), ...defined({ next }) };
}
