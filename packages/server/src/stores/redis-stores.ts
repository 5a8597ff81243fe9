import type { Random } from '@msg/foundation/clock';
import type { AroundCommand } from '@msg/redis';
import { RedisApiKeyStore } from '../auth/api-keys/store/redis/store.ts';
import { RedisKeyringStore } from '../auth/keys/store/redis/store.ts';
import { RedisRedemptionStore } from '../auth/tokens/refresh/redis/store.ts';
import { RedisRevocationStore } from '../auth/tokens/revocation/redis/store.ts';
import { RedisKeyUsageStore } from '../auth/usage/redis/store.ts';
import { RedisChannelRegistry } from '../channels/registry/redis/registry.ts';
import { RedisJobStore } from '../notify/dead-letters/jobs/redis/store.ts';
import { RedisDeadLetterQueue } from '../notify/dead-letters/redis/queue.ts';
import { errorFields } from '../observability/logger.ts';
import { StoreCommands } from '../observability/store-commands.ts';
import type { Tracing } from '../observability/tracing/contract.ts';
import { RedisRateLimiter } from '../rate-limits/redis/limiter.ts';
import { RedisSchemaStore } from '../schemas/store/redis/store.ts';
import type { MeasuredStores, StoreBackend, StoreContext } from './contract.ts';
import { RedisAuditStore } from './redis/audit-store.ts';
import { connectSharedStore, type SharedConnection } from './redis/connect.ts';
import { RedisConsoleSessions } from './redis/console-sessions.ts';
import type { RedisOptions } from './redis/options.ts';
import { RecentWrites, type RecentWritesOptions } from './redis/recent-writes.ts';
import { StoreHealth } from './redis/store-health.ts';
import { RedisClusterBus } from './redis-cluster-bus.ts';

function newNodeId(random: Random): string {
  return `node-${Buffer.from(random.bytes(8)).toString('hex')}`;
}

/** Makes a span for every command of traced work. */
function tracedCommands(tracing: Tracing): AroundCommand {
  return (command, run) => {
    const attributes = { 'db.system.name': 'redis', 'db.operation.name': command };
    return tracing.step({ name: `redis ${command}`, kind: 'client', attributes }, run);
  };
}

/**
 * All stores of a service on one Redis-compatible store. Opening rejects with MSG_INVALID_ARGUMENT for bad options,
 * MSG_BROKER_INTERNAL when the store does not answer within 5 s.
 */
export function redisStores(options: RedisOptions, tracing?: Tracing): StoreBackend {
  return { open: context => openStores(options, context, tracing) };
}

/** What the node sets again when the connection comes back. */
function recentWrites(
  connection: SharedConnection,
  {
    marks,
    logger,
    ...options
  }: Pick<StoreContext, 'logger'> &
    Omit<RecentWritesOptions, 'isReady' | 'onRepeated'> & {
      /** The kind of mark. */
      readonly marks: string;
    },
): RecentWrites {
  const onRepeated = (count: number): void =>
    logger.info({ marks, count }, 'shared store: marks of the last minute are set again');
  const recent = new RecentWrites({ ...options, isReady: () => connection.isReady, onRepeated });
  connection.watch({ lost: () => recent.lost(), ready: () => void recent.ready() });
  return recent;
}

async function openStores(
  options: RedisOptions,
  { clock, random, logger, nodeId = newNodeId(random), sinkNames }: StoreContext,
  tracing: Tracing | undefined,
): Promise<MeasuredStores> {
  const onError = (error: unknown): void =>
    logger.warn({ code: 'MSG_BROKER_INTERNAL', ...errorFields(error) }, 'shared store');
  const commands = new StoreCommands(clock);
  const traced = tracing === undefined ? undefined : tracedCommands(tracing);
  const connection = await connectSharedStore(options, { around: commands.around(traced), clock });
  const { store } = connection;
  const registry = new RedisChannelRegistry({
    store,
    nodeId,
    clock,
    isListening: () => connection.isListening,
    onError,
  });
  const health = new StoreHealth({
    clock,
    check: () => connection.health(),
    onChange: (subsystem, { ok, detail }) => {
      if (ok) logger.info({ subsystem }, 'shared store: a part works again');
      else logger.warn({ subsystem, detail: detail ?? '' }, 'shared store: a part does not work');
    },
  });
  const recent = (marks: string): RecentWrites => recentWrites(connection, { marks, clock, logger, onError });
  const { broker, presence, control } = connection.backends({ clock, random, onError });
  return {
    registry,
    limiter: new RedisRateLimiter(store, random),
    consoleSessions: new RedisConsoleSessions(store),
    redemptions: new RedisRedemptionStore(store, { clock, recent: recent('redemptions') }),
    revocations: new RedisRevocationStore(store, recent('revocations')),
    deadLetters: new RedisDeadLetterQueue({
      store,
      clock,
      random,
      knownSinks: () => sinkNames,
      onError,
    }),
    redriveJobs: new RedisJobStore(store),
    schemas: new RedisSchemaStore(store, random),
    keyring: new RedisKeyringStore(store),
    apiKeys: new RedisApiKeyStore(store),
    audit: new RedisAuditStore(store),
    keyUsage: new RedisKeyUsageStore(store),
    engine: { nodeId, broker, presence, control },
    clusterBus: new RedisClusterBus({ connection, registry, nodeId, health }),
    commands,
    async read() {
      const startedAt = clock.monotonic();
      await store.call('EXISTS', store.key('keyring'));
      return { pingMs: clock.monotonic() - startedAt, offsetMs: clock.now() - store.now() };
    },
  };
}
