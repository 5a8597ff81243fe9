/** The PostgreSQL outbox that the service consumes. */
export interface OutboxOptions {
  /** `postgres://user:password@host:port/database`; shown nowhere. */
  readonly url: string;
  /** Default `msg`. */
  readonly schema?: string;
  /** Absent: none on loopback addresses, else `verify-full`. */
  readonly tls?: 'disable' | 'require' | 'verify-full';
  /** Certificates of the authorities, PEM. */
  readonly ca?: string;
  /** Batches at the same time, 1 to 64: more than one while more rows are due than one batch holds. Default 2. */
  readonly workers?: number;
  /** Rows of a batch, 1 to 1,000. Default 500. */
  readonly batch?: number;
  /** Default 500. */
  readonly pollIntervalMs?: number;
  /** Which channels a worker opens for a row: declared ones, or all public ones. Default `declared`. */
  readonly openChannels?: 'declared' | 'auto';
  /** Default 60,000. */
  readonly waitForChannelMs?: number;
  /** Absent: unchanged. */
  readonly maxRows?: number;
}
