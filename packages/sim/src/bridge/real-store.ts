import type { RedisServer } from '@msg/testkit/redis';
import type { TappedTruth } from './tapped-truth.ts';

/** How the store of a run is laid out. */
export const STORE_KINDS = ['standalone', 'sentinel', 'cluster'] as const;
export type RealStoreKind = (typeof STORE_KINDS)[number];

/** What a killed server finds on its disk. */
export type RealPersistence = 'always' | 'no';

/** Closes every way to a server, or opens them. */
export type Gate = (port: number, isOpen: boolean) => void;

/** What a store of a run is started with. */
export interface StoreParts {
  readonly persistence: RealPersistence;
  readonly gate: Gate;
}

/** The real servers of a run. */
export interface RealStore {
  readonly kind: RealStoreKind;
  /** As users give it to the service. */
  readonly address: string;
  /** Ports of all servers that nodes connect to. */
  readonly ports: readonly number[];
  readonly tapped: TappedTruth;
  /** Those that take writes. */
  masters(): readonly RedisServer[];
  /** One that takes writes: each in turn, where there are several. */
  nextMaster(): RedisServer;
  /** Kills one that takes writes, which starts again. */
  kill(afterMs: number): Promise<void>;
  /** Empties it. */
  flush(): Promise<void>;
  /** Lets another server take the place of the master; a store without replicas has no such steps. */
  failOver(change: RealFailOver): Promise<void>;
  stop(): Promise<void>;
}

/** A fail-over, as far as it can be brought about. */
export interface RealFailOver {
  readonly old: 'dead' | 'cut off' | 'frozen' | 'demoted';
  /** Writes reach no replica for so long before its end. */
  readonly heldMs: number;
  /** Until the old master is there again, after the promotion. */
  readonly backMs: number;
}
