import type { ClientInfo } from '@msg/protocol';

/** How many connections, and how many users, are in a channel. */
export interface PresenceCounts {
  readonly clients: number;
  /** Distinct user ids; anonymous connections together count as one. */
  readonly users: number;
}

/**
 * The subscribers of a channel on all nodes. `add` refreshes each entry every 25 s and an entry lives 60 s, so those of a
 * crashed node expire. Contract tests: `@msg/engine/testing`.
 */
export interface Presence {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Adds the entry, or refreshes it. */
  add(channel: string, clientId: string, info: ClientInfo): Promise<void>;
  remove(channel: string, clientId: string): Promise<void>;
  /** Entries by client id. */
  get(channel: string): Promise<ReadonlyMap<string, ClientInfo>>;
  counts(channel: string): Promise<PresenceCounts>;
}
