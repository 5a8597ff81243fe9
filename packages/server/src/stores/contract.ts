import type { Broker, Control, Presence, ProcessBounds } from '@msg/engine';
import type { Clock, Random } from '@msg/foundation/clock';
import type { AuditStore } from '../audit/contract.ts';
import type { ApiKeyStore } from '../auth/api-keys/store/contract.ts';
import type { KeyringStore } from '../auth/keys/store/contract.ts';
import type { RedemptionStore } from '../auth/tokens/refresh/contract.ts';
import type { RevocationStore } from '../auth/tokens/revocation/contract.ts';
import type { KeyUsageStore } from '../auth/usage/contract.ts';
import type { LifecycleEvent } from '../channels/lifecycle-feed.ts';
import type { ChannelRegistry } from '../channels/registry/contract.ts';
import type { ConsoleSessionStore } from '../console/sessions/contract.ts';
import type { DeadLetterQueue } from '../notify/dead-letters/contract.ts';
import type { JobStore } from '../notify/dead-letters/jobs/contract.ts';
import type { Logger } from '../observability/logger.ts';
import type { StoreCommands } from '../observability/store-commands.ts';
import type { RateLimiter } from '../rate-limits/contract.ts';
import type { SchemaStore } from '../schemas/store/contract.ts';
import type { SubsystemStates } from './subsystem-state.ts';

/** The events that a node gets from the others through the store, besides those of the engine's backends. */
export interface ClusterEvents {
  /** Another node changed a channel. */
  onChannelChanged(event: LifecycleEvent): void;
  /** Another node wrote the keyring. May answer a promise of the end of it. */
  onKeyringChanged(): unknown;
  /** Another node, or this one, wrote the schemas. May answer a promise of the end of it. */
  onSchemasChanged(): unknown;
  /** API keys were changed elsewhere. May answer a promise, as above. */
  onApiKeysChanged?(): unknown;
  /** A token or user was revoked elsewhere. May answer a promise of the end of its subscriptions. */
  onRevoked?(): unknown;
  /** The store is about to close idle channels. May answer a promise of the end of what is noted before. */
  onSweeping?(): unknown;
  /** The connection is back after a loss: events in between are lost. */
  onReconnected(): void;
}

/** Messages between the nodes of one service through the store. */
export interface ClusterBus {
  /** Starts listening to the other nodes. Rejects when that fails. */
  start(events: ClusterEvents): Promise<void>;
  /** False: it joins the threads of one process and no other process. Default: true. */
  readonly joinsProcesses?: boolean;
  /** The last known state of the store's parts, for `/readyz`. */
  readonly health: SubsystemStates;
  /** Stops listening. Safe to call again. */
  close(): Promise<void>;
}

/** The context in which a backend opens. */
export interface StoreContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Name of this node among the others; absent: the backend chooses one. */
  readonly nodeId?: string;
  /** Names of the configured sinks; the store may hold dead letters of others too. */
  readonly sinkNames: readonly string[];
}

/** Backends of the realtime node, by the contracts of `@msg/engine`. Absent ones are in memory. */
export interface EngineBackends {
  /** Id of this node among the others; absent: the node chooses one. */
  readonly nodeId?: string;
  readonly broker?: Broker;
  readonly presence?: Presence;
  readonly control?: Control;
  /** What nodes of one process count together; absent: the node counts alone. */
  readonly bounds?: ProcessBounds;
}

/** The stores of one service. Each passes the contract of its kind in `@msg/server/testing`. */
export interface Stores {
  readonly registry: ChannelRegistry;
  readonly limiter: RateLimiter;
  readonly redemptions: RedemptionStore;
  /** Used with `revocationStore: 'auto'`. */
  readonly revocations: RevocationStore;
  readonly deadLetters: DeadLetterQueue;
  /** Jobs that send dead letters again; absent: they end with the process. */
  readonly redriveJobs?: JobStore;
  readonly schemas: SchemaStore;
  /** The signing keys; absent: in `stateDir`, or they end with the process. */
  readonly keyring?: KeyringStore;
  /** API keys that are created while the service runs; absent: in `stateDir`, or keys cannot be created. */
  readonly apiKeys?: ApiKeyStore;
  /** Records of audited calls; absent: each node keeps its own in memory. */
  readonly audit?: AuditStore;
  /** What is known of the use of the signing keys; absent: in `stateDir`, or it ends with the process. */
  readonly keyUsage?: KeyUsageStore;
  /** Sessions of the console; absent: each node keeps its own in memory. */
  readonly consoleSessions?: ConsoleSessionStore;
  /** Absent for a single node. */
  readonly clusterBus?: ClusterBus;
  /** Backends of the realtime node; absent: in memory. */
  readonly engine?: EngineBackends;
  /** Ends the stores; called once, after `clusterBus.close`, and when a start fails. */
  close?(): Promise<void> | void;
}

/** A whole backend: option `stores` of `Msg.create`. */
export interface StoreBackend {
  /**
   * Opens the stores of one service. Before it rejects, it closes what it opened; `Stores.close` closes the returned
   * stores.
   */
  open(context: StoreContext): Promise<Stores>;
}

/** A comparison with the shared store. */
export interface StoreReading {
  /** Duration of a small read, milliseconds. */
  readonly pingMs: number;
  /** This node's wall clock minus that of the store, milliseconds. */
  readonly offsetMs: number;
}

/** The stores of the package's own backends. */
export interface MeasuredStores extends Stores {
  /** Counts and durations of commands to the store. */
  readonly commands?: StoreCommands;
  /** Absent: nothing is shared. */
  readonly read?: () => Promise<StoreReading>;
}
