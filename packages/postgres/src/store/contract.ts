/** A row of a batch, with what is known of earlier attempts. */
export interface ClaimedRow {
  readonly id: string;
  /** Its lease decides what becomes of the row. */
  readonly partition: number;
  readonly key: string;
  readonly channel: string;
  readonly kind: 'publish' | 'publish_or_sink';
  readonly data: Uint8Array;
  readonly tags: Readonly<Record<string, string>>;
  readonly options: RowOptions;
  readonly version: number;
  readonly attempts: number;
  /** How long its channel was seen not to be open; 0: not yet. */
  readonly heldMs: number;
  /** How long ago an attempt began whose outcome is not known; 0: this is the first. Negative when the clock was set back. */
  readonly uncertainMs: number;
}

export interface RowOptions {
  readonly skip_history?: boolean;
  readonly sink?: string;
  readonly recipient?: unknown;
  readonly message?: object;
}

/** Rows that a worker has leases for, one for each partition; those of a partition in the order of their versions. */
export interface Batch {
  readonly partitions: readonly number[];
  /** Partitions whose lease another worker had let run out. */
  readonly takeovers: readonly number[];
  /** `outbox:<id of the schema>` */
  readonly versionEpoch: string;
  readonly rows: readonly ClaimedRow[];
  /** A bound ended the batch: more rows may be due. */
  readonly hasMore: boolean;
}

/** A row that was not published. */
export interface RowFailure {
  readonly id: string;
  /** `dead`: not tried again; `hold`: its channel is not open; `retry`: later. The last two hold the channel. */
  readonly act: 'dead' | 'hold' | 'retry';
  readonly code: string;
  readonly error: string;
  /** When it is tried again; 0 for dead rows. */
  readonly delayMs: number;
  /** Of a dead row whose channel is not open: rows of the channel that are as old go with it. */
  readonly olderMs?: number;
}

/** What became of a batch. Rows that are not mentioned stay, with their versions. */
export interface Settlement {
  readonly done: readonly Pick<ClaimedRow, 'id' | 'version' | 'channel'>[];
  /** Rows of which the service said that it did not publish them. */
  readonly unpublished: readonly string[];
  readonly failures: readonly RowFailure[];
  /** Prolong the leases. */
  readonly keepsLease: boolean;
}

/** What a settlement came to. */
export interface Settled {
  /** Partitions whose lease the worker still had; of the others only rows that were published have gone. */
  readonly owned: readonly number[];
  /** The number of rows that became dead rows. */
  readonly buried: number;
}

/** Claims and settles: the database, or the model of it in tests. */
export interface OutboxStore {
  /** The next batch; undefined when no row is due. @param owner UUID of the worker */
  claim(owner: string, rows: number): Promise<Batch | undefined>;
  /** @param partitions those of the batch */
  settle(owner: string, partitions: readonly number[], settlement: Settlement): Promise<Settled>;
}
