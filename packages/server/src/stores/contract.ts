import type { Broker, Control, Presence } from '@msg/engine';
import type { Clock, Random } from '@msg/foundation/clock';
import type { ApiKeyStore } from '../auth/api-keys/store/contract.ts';
import type { KeyringStore } from '../auth/keys/store/contract.ts';
import type { RedemptionStore } from '../auth/tokens/refresh/contract.ts';
import type { RevocationStore } from '../auth/tokens/revocation/contract.ts';
import type { LifecycleEvent } from '../channels/lifecycle-feed.ts';
import type { ChannelRegistry } from '../channels/registry/contract.ts';
import type { DeadLetterQueue } from '../notify/dead-letters/contract.ts';
import type { Logger } from '../observability/logger.ts';
import type { StoreCommands } from '../observability/store-commands.ts';
import type { RateLimiter } from '../rate-limits/contract.ts';
import type { SchemaStore } from '../schemas/store/contract.ts';

/** One part of the service that can fail. */
export interface SubsystemState {
  readonly ok: boolean;
  /** The problem, for the operator. */
  readonly detail?: string;
}

/** The parts that can fail, by name. */
export type SubsystemStates = Readonly<Record<string, SubsystemState>>;

/** The events that a node gets from the others through the store, besides those of the engine's backends. */
export interface ClusterEvents {
  /** Another node changed a channel. */
  channelChanged(event: LifecycleEvent): void;
  /** Another node wrote the keyring. */
  keyringChanged(): void;
  /** Another node, or this one, wrote the schemas. */
  schemasChanged(): void;
  /** The connection is back after a loss: events in between are lost. */
  reconnected(): void;
}

/** Messages between the nodes of one service through the store. */
export interface ClusterBus {
  /** Starts listening to the other nodes. Rejects when that fails. */
  start(events: ClusterEvents): Promise<void>;
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
}

/** The stores of one service. Each passes the contract of its kind in `@msg/server/testing`. */
export interface Stores {
  readonly registry: ChannelRegistry;
  readonly limiter: RateLimiter;
  readonly redemptions: RedemptionStore;
  /** Used with `revocationStore: 'auto'`. */
  readonly revocations: RevocationStore;
  readonly deadLetters: DeadLetterQueue;
  readonly schemas: SchemaStore;
  /** The signing keys; absent: in `stateDir`, or they end with the process. */
  readonly keyring?: KeyringStore;
  /** API keys that are created while the service runs; absent: in `stateDir`, or keys cannot be created. */
  readonly apiKeys?: ApiKeyStore;
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

/** The stores of the package's own backends. */
export interface MeasuredStores extends Stores {
  /** Counts and durations of commands to the store. */
  readonly commands?: StoreCommands;
}
