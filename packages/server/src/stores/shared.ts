import { type Random, systemClock, systemRandom } from '@msg/foundation/clock';
import type { AroundCommand } from '@msg/redis';
import { RedisKeyringStore } from '../auth/keys/store/redis/store.ts';
import { RedisRedemptionStore } from '../auth/tokens/refresh/redis/store.ts';
import { RedisRevocationStore } from '../auth/tokens/revocation/redis/store.ts';
import { RedisChannelRegistry } from '../channels/registry/redis/registry.ts';
import { RedisDeadLetterQueue } from '../notify/dead-letters/redis/queue.ts';
import { errorFields, silentLogger } from '../observability/logger.ts';
import { StoreCommands } from '../observability/store-commands.ts';
import type { Tracing } from '../observability/tracing/contract.ts';
import { RedisRateLimiter } from '../rate-limits/redis/limiter.ts';
import { RedisSchemaStore } from '../schemas/store/redis/store.ts';
import type { MsgOptions } from '../service/options.ts';
import { RedisClusterBus } from './redis/cluster-bus.ts';
import { connectSharedStore } from './redis/connect.ts';
import { StoreHealth } from './redis/store-health.ts';
import type { Stores } from './stores.ts';

function newNodeId(random: Random): string {
  return `node-${Buffer.from(random.bytes(8)).toString('hex')}`;
}

/** Every command of work that is traced is a span of its own. */
function tracedCommands(tracing: Tracing): AroundCommand {
  return (command, run) => {
    const attributes = { 'db.system.name': 'redis', 'db.operation.name': command };
    return tracing.step({ name: `redis ${command}`, kind: 'client', attributes }, run);
  };
}

/**
 * Connects to the shared store and puts every backend on it.
 * @throws MsgError MSG_INVALID_ARGUMENT for bad options, MSG_BROKER_INTERNAL when the store does not answer within 5 s.
 */
export async function openSharedStores(options: MsgOptions, tracing?: Tracing): Promise<Stores> {
  const { redis, clock = systemClock, random = systemRandom, logger = silentLogger } = options;
  if (redis === undefined) throw new TypeError('no shared store is configured');
  const nodeId = options.nodeId ?? newNodeId(random);
  const onError = (error: unknown): void => logger.warn(errorFields(error), 'shared store');
  const commands = new StoreCommands(clock);
  const traced = tracing === undefined ? undefined : tracedCommands(tracing);
  const connection = await connectSharedStore(redis, { around: commands.around(traced), clock });
  const { store } = connection;
  const registry = new RedisChannelRegistry({ store, nodeId, clock });
  const health = new StoreHealth({
    clock,
    check: () => connection.health(),
    onChange: (subsystem, { ok, detail }) => {
      if (ok) logger.info({ subsystem }, 'shared store: a part works again');
      else logger.warn({ subsystem, detail: detail ?? '' }, 'shared store: a part does not work');
    },
  });
  const sinks = options.sinks ?? [];
  const { broker, presence, control } = connection.backends({ clock, random, onError });
  return {
    registry,
    limiter: new RedisRateLimiter(store, random),
    redemptions: new RedisRedemptionStore(store, clock),
    revocations: new RedisRevocationStore(store),
    deadLetters: new RedisDeadLetterQueue({
      store,
      clock,
      random,
      knownSinks: () => sinks.map(sink => sink.name),
      onError,
    }),
    schemas: new RedisSchemaStore(store, random),
    keyring: new RedisKeyringStore(store),
    engine: { nodeId, broker, presence, control },
    link: new RedisClusterBus({ connection, registry, nodeId, commands, health }),
  };
}
