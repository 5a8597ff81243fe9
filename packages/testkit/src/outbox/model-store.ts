import type { Batch, ClaimedRow, OutboxStore, Settled, Settlement } from '@msg/postgres/internal';

/** What the model of the database does wrong, to see that it matters. */
export interface ModelFlaws {
  /** A row gets a new version with each attempt. */
  readonly newVersions?: boolean;
  /** A partition is claimed although another worker holds it, and any worker settles its rows. */
  readonly noLeases?: boolean;
}

/** A row as it is committed. */
export interface ModelRow extends Partial<Pick<ClaimedRow, 'kind' | 'data' | 'options'>> {
  readonly id: number;
  readonly channel: string;
}

interface StoredRow extends ModelRow {
  readonly createdAt: number;
  version: number | undefined;
  attempts: number;
  notBefore: number;
  heldSince: number | undefined;
  uncertainSince: number | undefined;
}

interface ModelPartition {
  owner: string | undefined;
  leaseUntil: number;
  lastVersion: number;
  claimedAt: number;
}

const LEASE_MS = 10_000;
/** Longer waits and leases come from a clock that was set back. */
const MOST_HELD_MS = 60_000;
const PARTITIONS = 2;

/** The tables of the outbox and what `outbox_claim_batch` and `outbox_settle_batch` do with them. */
export class ModelStore implements OutboxStore {
  readonly rows: StoredRow[] = [];
  readonly dead: { readonly id: number; readonly code: string }[] = [];
  /** The clock of the database, milliseconds. */
  now = 1_000_000;
  readonly #flaws: ModelFlaws;
  readonly #partitions: ModelPartition[] = Array.from({ length: PARTITIONS }, () => ({
    owner: undefined,
    leaseUntil: 0,
    lastVersion: 0,
    claimedAt: 0,
  }));

  constructor(flaws: ModelFlaws) {
    this.#flaws = flaws;
  }

  /** A row that was committed. */
  commit(row: ModelRow): void {
    const fresh = { version: undefined, attempts: 0, notBefore: 0, heldSince: undefined };
    this.rows.push({ ...row, createdAt: this.now, uncertainSince: undefined, ...fresh });
  }

  async claim(owner: string, count: number): Promise<Batch | undefined> {
    const byTurn = [...this.#partitions.entries()].sort(([, a], [, b]) => a.claimedAt - b.claimedAt);
    const taken: number[] = [];
    const takeovers: number[] = [];
    const claimed: ClaimedRow[] = [];
    let hasMore = false;
    for (const [index, partition] of byTurn) {
      if (!this.#isFree(partition, owner)) continue;
      const rows = this.#due(index).slice(0, count - claimed.length);
      if (rows.length === 0) continue;
      // A sink takes its time: such a partition is a batch of its own.
      const isAlone = rows.some(({ kind }) => kind === 'publish_or_sink');
      hasMore = claimed.length + rows.length === count || isAlone;
      if (isAlone && taken.length > 0) break;
      taken.push(index);
      if (partition.owner !== undefined && partition.owner !== owner) takeovers.push(index);
      claimed.push(...this.#take(index, partition, owner, rows));
      if (hasMore) break;
    }
    if (taken.length === 0) return undefined;
    return { partitions: taken, takeovers, versionEpoch: 'outbox:model', rows: claimed, hasMore };
  }

  async settle(owner: string, indexes: readonly number[], settlement: Settlement): Promise<Settled> {
    const owned = this.#owned(owner, indexes);
    for (const { id, version } of settlement.done) {
      this.#remove(row => String(row.id) === id && row.version === version);
    }
    const isOwned = (id: string): boolean => {
      const row = this.#row(id);
      return row !== undefined && owned.includes(partitionOf(row.channel));
    };
    for (const id of settlement.unpublished.filter(isOwned)) {
      const row = this.#row(id);
      if (row !== undefined) row.uncertainSince = undefined;
    }
    const before = this.dead.length;
    for (const failure of settlement.failures) if (isOwned(failure.id)) this.#fail(failure);
    for (const partition of owned.map(index => this.#partitions[index])) {
      if (partition === undefined) continue;
      partition.owner = settlement.keepsLease ? owner : undefined;
      partition.leaseUntil = this.now + LEASE_MS;
    }
    return { owned, buried: this.dead.length - before };
  }

  /** Of partitions those whose lease the worker still has. */
  #owned(owner: string, indexes: readonly number[]): readonly number[] {
    if (this.#flaws.noLeases === true) return indexes;
    return indexes.filter(index => this.#partitions[index]?.owner === owner);
  }

  #isFree({ owner, leaseUntil }: ModelPartition, me: string): boolean {
    if (owner === undefined || owner === me || this.#flaws.noLeases === true) return true;
    return leaseUntil <= this.now || leaseUntil > this.now + 2 * LEASE_MS;
  }

  /** Rows of a partition that are not held, in the order in which they are published. */
  #due(index: number): StoredRow[] {
    const rows = this.rows.filter(({ channel }) => partitionOf(channel) === index);
    const isHeld = ({ notBefore }: StoredRow) => notBefore > this.now && notBefore < this.now + MOST_HELD_MS;
    const held = new Set(rows.filter(isHeld).map(({ channel }) => channel));
    const due = rows.filter(({ channel }) => !held.has(channel));
    return due.sort((a, b) => (a.version ?? Infinity) - (b.version ?? Infinity) || a.id - b.id);
  }

  #take(
    index: number,
    partition: ModelPartition,
    owner: string,
    rows: readonly StoredRow[],
  ): readonly ClaimedRow[] {
    let next = Math.max(partition.lastVersion + 1, this.now * 1000);
    const claimed = rows.map((row): ClaimedRow => {
      if (row.version === undefined || this.#flaws.newVersions === true) row.version = next++;
      const isFirst = row.uncertainSince === undefined;
      row.uncertainSince ??= this.now;
      return {
        id: String(row.id),
        partition: index,
        key: `key-${row.id}`,
        channel: row.channel,
        kind: row.kind ?? 'publish',
        data: row.data ?? new TextEncoder().encode(String(row.id)),
        tags: {},
        options: row.options ?? {},
        version: row.version,
        attempts: row.attempts,
        heldMs: row.heldSince === undefined ? 0 : this.now - row.heldSince,
        // The database counts microseconds: no two claims are of the same one.
        uncertainMs: isFirst ? 0 : this.now - row.uncertainSince || 1,
      };
    });
    Object.assign(partition, { owner, leaseUntil: this.now + LEASE_MS, claimedAt: this.now });
    partition.lastVersion = Math.max(partition.lastVersion, next - 1);
    return claimed;
  }

  #fail({ id, act, code, delayMs, olderMs }: Settlement['failures'][number]): void {
    const row = this.#row(id);
    if (row === undefined) return;
    if (act === 'dead') {
      this.#bury(row, code);
      if (olderMs === undefined) return;
      // The channel is not open: what waited as long goes with it.
      const isOlder = ({ channel, createdAt }: StoredRow) =>
        channel === row.channel && createdAt <= this.now - olderMs;
      for (const older of this.rows.filter(isOlder)) this.#bury(older, code);
      return;
    }
    row.attempts++;
    row.notBefore = this.now + delayMs;
    row.heldSince = act === 'hold' ? (row.heldSince ?? this.now) : undefined;
  }

  #bury(row: StoredRow, code: string): void {
    this.dead.push({ id: row.id, code });
    this.#remove(other => other === row);
  }

  #row(id: string): StoredRow | undefined {
    return this.rows.find(row => String(row.id) === id);
  }

  #remove(matches: (row: StoredRow) => boolean): void {
    const index = this.rows.findIndex(matches);
    if (index >= 0) this.rows.splice(index, 1);
  }
}

function partitionOf(channel: string): number {
  return channel.charCodeAt(channel.length - 1) % PARTITIONS;
}
