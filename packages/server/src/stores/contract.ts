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

/** One part of the service that can fail by itself. */
export interface SubsystemState {
  readonly ok: boolean;
  /** What is wrong, for the operator. */
  readonly detail?: string;
}

/** The parts that can fail, by name. */
export type SubsystemStates = Readonly<Record<string, SubsystemState>>;

/** What a node learns from the others through the store, besides what the engine's backends tell the engine. */
export interface ClusterEvents {
  /** Another node changed a channel. */
  channelChanged(event: LifecycleEvent): void;
  /** Another node wrote the keyring. */
  keyringChanged(): void;
  /** Another node, or this one, wrote the schemas. */
  schemasChanged(): void;
  /** The node was cut off and is back: whatever was told meanwhile is lost. */
  reconnected(): void;
}

/** What the nodes of one service tell each other through the store. */
export interface ClusterBus {
  /** Begins to listen to the other nodes. Rejects when that is not possible. */
  start(events: ClusterEvents): Promise<void>;
  /** How the parts of the store are, as far as is known: `/readyz` shows them. */
  readonly health: SubsystemStates;
  /** Stops listening. Safe to call again. */
  close(): Promise<void>;
}

/** What a backend is opened with. */
export interface StoreContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Name of this node among the others; absent: the backend chooses one. */
  readonly nodeId?: string;
  /** Names of the sinks that are configured: dead letters of others may be there too. */
  readonly sinkNames: readonly string[];
}

/** The realtime node's own backends, written against the contracts of `@msg/engine`. Absent ones are in its memory. */
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
  /** The signing keys; absent: `stateDir`, or they end with the process. */
  readonly keyring?: KeyringStore;
  /** API keys that are created while the service runs; absent: `stateDir`, or none can be created. */
  readonly apiKeys?: ApiKeyStore;
  /** Absent: the node is alone. */
  readonly clusterBus?: ClusterBus;
  /** Backends of the realtime node; absent ones are its own memory. */
  readonly engine?: EngineBackends;
  /** Ends the stores; called once, after `clusterBus.close`, and when a start fails. */
  close?(): Promise<void> | void;
}

/** A whole backend: option `stores` of `Msg.create`. */
export interface StoreBackend {
  /**
   * Opens the stores of one service. What it opened when it rejects, it closes itself; what it answered is closed by its
   * `close`.
   */
  open(context: StoreContext): Promise<Stores>;
}

/** The stores of the package's own backends. */
export interface MeasuredStores extends Stores {
  /** What commands to the store cost. */
  readonly commands?: StoreCommands;
}
