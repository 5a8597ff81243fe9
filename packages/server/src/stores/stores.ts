import type { NodeOptions } from '@msg/engine';
import type { Clock, Random } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { KeyringStore } from '../auth/keys/store/contract.ts';
import type { RedemptionStore } from '../auth/tokens/refresh/contract.ts';
import { MemoryRedemptionStore } from '../auth/tokens/refresh/memory.ts';
import type { RevocationStore } from '../auth/tokens/revocation/contract.ts';
import { MemoryRevocationStore } from '../auth/tokens/revocation/memory.ts';
import { SecurityLog } from '../auth/tokens/security-log/log.ts';
import type { LifecycleEvent } from '../channels/lifecycle-feed.ts';
import type { ChannelRegistry } from '../channels/registry/contract.ts';
import { MemoryChannelRegistry } from '../channels/registry/memory.ts';
import type { DeadLetterQueue } from '../notify/dead-letters/contract.ts';
import { MemoryDeadLetterQueue } from '../notify/dead-letters/memory.ts';
import type { StoreCommands } from '../observability/store-commands.ts';
import type { RateLimiter } from '../rate-limits/contract.ts';
import { MemoryRateLimiter } from '../rate-limits/memory.ts';
import type { SchemaStore } from '../schemas/store/contract.ts';
import { MemorySchemaStore } from '../schemas/store/memory.ts';

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

/** What nodes have in common beyond the data: the connection itself. */
export interface ClusterBus {
  /** What commands to the store cost. */
  readonly commands: StoreCommands;
  /** Begins to listen to the other nodes. */
  start(news: ClusterEvents): Promise<void>;
  /** How the parts of the store are, as far as is known. */
  readonly health: SubsystemStates;
  /** Closes every connection. Safe to call again. */
  close(): Promise<void>;
}

/** Where one service keeps what outlives a request: all in memory, or all in one shared store. */
export interface Stores {
  readonly registry: ChannelRegistry;
  readonly limiter: RateLimiter;
  readonly redemptions: RedemptionStore;
  readonly revocations: RevocationStore;
  readonly deadLetters: DeadLetterQueue;
  readonly schemas: SchemaStore;
  /** The ring that all nodes share. */
  readonly keyring?: KeyringStore;
  /** Backends of the realtime node; absent ones are its own memory. */
  readonly engine: Pick<NodeOptions, 'broker' | 'presence' | 'control' | 'nodeId'>;
  /** Absent: the node is alone. */
  readonly link?: ClusterBus;
  /** Where redemptions and revocations survive a restart of a node that is alone. */
  readonly securityLog?: SecurityLog;
}

/**
 * The stores of a single node: gone with the process, but for what must not be forgotten, which goes into the state directory
 * too where there is one.
 * @throws MsgError MSG_INVALID_ARGUMENT for a security log that cannot be read, MSG_INTERNAL when none can be written.
 */
export async function localStores(clock: Clock, random: Random, stateDir = ''): Promise<Stores> {
  const securityLog = stateDir === '' ? undefined : new SecurityLog(stateDir);
  const redemptions = new MemoryRedemptionStore(clock, securityLog);
  const revocations = new MemoryRevocationStore(clock, securityLog);
  await securityLog?.open([revocations, redemptions]);
  return {
    ...defined({ securityLog }),
    registry: new MemoryChannelRegistry(clock),
    limiter: new MemoryRateLimiter(clock),
    redemptions,
    revocations,
    deadLetters: new MemoryDeadLetterQueue(random),
    schemas: new MemorySchemaStore(),
    engine: {},
  };
}
