import type { DatabaseSession } from '../database/session.ts';
import { inSchema } from '../schema/name.ts';
import type { Batch, ClaimedRow, OutboxStore, RowOptions, Settled, Settlement } from './contract.ts';

/** How long a worker may be silent before another one takes its partition over. */
export const LEASE_MS = 10_000;
const LEASE = `${LEASE_MS / 1000} seconds`;
const BATCH_BYTES = 2 * 1024 * 1024;
/** Of 64: when a worker dies, the rows of the others wait for no lease. */
const BATCH_PARTITIONS = 16;

const CLAIM = `SELECT partition, is_takeover, has_more, epoch, id::text AS id, key, channel, kind, data, tags::text AS tags,
  options::text AS options, version::text AS version, attempts, held_ms, uncertain_ms
  FROM {schema}.outbox_claim_batch($1::text::uuid, $2::text::interval, $3::text::int, $4::text::int, $5::text::bigint)`;
const SETTLE = `SELECT array_to_json(owned)::text AS owned, buried
  FROM {schema}.outbox_settle_batch($1::text::uuid, $2::text::smallint[], $3::text::interval,
    $4::text::bigint[], $5::text::bigint[], $6::text::bigint[], $7::text::jsonb, $8::text::boolean)`;

/** The outbox in PostgreSQL. Each call is one statement, so it works through a proxy that shares connections. */
export class DatabaseStore implements OutboxStore {
  readonly #session: Pick<DatabaseSession, 'query'>;
  readonly #claim: string;
  readonly #settle: string;

  constructor(session: Pick<DatabaseSession, 'query'>, schema: string) {
    this.#session = session;
    this.#claim = inSchema(CLAIM, schema);
    this.#settle = inSchema(SETTLE, schema);
  }

  async claim(owner: string, count: number): Promise<Batch | undefined> {
    const bounds = [BATCH_PARTITIONS, count, BATCH_BYTES].map(String);
    const rows = await this.#session.query(this.#claim, [owner, LEASE, ...bounds]);
    const [first] = rows;
    if (first === undefined) return undefined;
    const partitions = new Map(rows.map(row => [Number(row['partition']), row['is_takeover'] === true]));
    return {
      partitions: [...partitions.keys()],
      takeovers: [...partitions].filter(([, isTakeover]) => isTakeover).map(([partition]) => partition),
      versionEpoch: `outbox:${String(first['epoch'])}`,
      rows: rows.map(rowOf),
      hasMore: first['has_more'] === true,
    };
  }

  async settle(owner: string, partitions: readonly number[], settlement: Settlement): Promise<Settled> {
    const { done, unpublished, failures, keepsLease } = settlement;
    const [row] = await this.#session.query(this.#settle, [
      owner,
      arrayOf(partitions),
      LEASE,
      arrayOf(done.map(({ id }) => id)),
      arrayOf(done.map(({ version }) => version)),
      arrayOf(unpublished),
      JSON.stringify(failures.map(failureOf)),
      String(keepsLease),
    ]);
    return { owned: JSON.parse(String(row?.['owned'])) as number[], buried: Number(row?.['buried']) }; // by the statement
  }
}

function rowOf(row: Readonly<Record<string, unknown>>): ClaimedRow {
  return {
    id: String(row['id']),
    partition: Number(row['partition']),
    key: String(row['key']),
    channel: String(row['channel']),
    kind: row['kind'] as ClaimedRow['kind'], // by the check of the table
    data: row['data'] as Uint8Array, // a bytea
    tags: parsed(row['tags']) as Readonly<Record<string, string>>, // checked when they were written
    options: parsed(row['options']) as RowOptions, // ours
    version: Number(row['version']),
    attempts: Number(row['attempts']),
    heldMs: Number(row['held_ms'] ?? 0),
    uncertainMs: Number(row['uncertain_ms'] ?? 0),
  };
}

function parsed(text: unknown): object {
  return typeof text === 'string' ? (JSON.parse(text) as object) : {};
}

function failureOf({ id, act, code, error, delayMs, olderMs }: Settlement['failures'][number]): object {
  return { id, act, code, error, delay_ms: delayMs, older_ms: olderMs };
}

/** An array of numbers as the database reads it. */
function arrayOf(numbers: readonly (string | number)[]): string {
  return `{${numbers.join(',')}}`;
}
