import type { Clock, NodeOptions, Random } from '@msg/engine';
import type { LifecycleEvent } from '../channels/lifecycle-feed.ts';
import type { ChannelRegistry } from '../channels/registry/contract.ts';
import { MemoryChannelRegistry } from '../channels/registry/memory.ts';
import type { DeadLetterQueue } from '../dead-letters/contract.ts';
import { MemoryDeadLetterQueue } from '../dead-letters/memory.ts';
import type { KeyringStore } from '../keys/store/contract.ts';
import type { StoreCommands } from '../observability/store-commands.ts';
import type { RateLimiter } from '../rate-limits/contract.ts';
import { MemoryRateLimiter } from '../rate-limits/memory.ts';
import type { SchemaStore } from '../schemas/store/contract.ts';
import { MemorySchemaStore } from '../schemas/store/memory.ts';
import type { RedemptionStore } from '../tokens/refresh/contract.ts';
import { MemoryRedemptionStore } from '../tokens/refresh/memory.ts';
import type { RevocationStore } from '../tokens/revocation/contract.ts';
import { MemoryRevocationStore } from '../tokens/revocation/memory.ts';

/** One part of the service that can fail by itself. */
export interface SubsystemState {
  readonly ok: boolean;
  /** What is wrong, for the operator. */
  readonly detail?: string;
}

/** What a node learns from the others through the store, besides what the engine's backends tell the engine. */
export interface NodeNews {
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
export interface SharedLink {
  /** What commands to the store cost. */
  readonly commands: StoreCommands;
  /** Begins to listen to the other nodes. */
  start(news: NodeNews): Promise<void>;
  /** Asks the store; never rejects. */
  health(): Promise<Readonly<Record<string, SubsystemState>>>;
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
  readonly link?: SharedLink;
}

/** The stores of a single node: gone with the process. */
export function memoryStores(clock: Clock, random: Random): Stores {
  return {
    registry: new MemoryChannelRegistry(),
    limiter: new MemoryRateLimiter(),
    redemptions: new MemoryRedemptionStore(clock),
    revocations: new MemoryRevocationStore(clock),
    deadLetters: new MemoryDeadLetterQueue(random),
    schemas: new MemorySchemaStore(),
    engine: {},
  };
}
