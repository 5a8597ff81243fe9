import { type Random, systemClock, systemRandom } from '@msg/engine';
import type { AroundCommand } from '@msg/redis';
import { RedisChannelRegistry } from '../channels/registry/redis/registry.ts';
import { RedisDeadLetterQueue } from '../dead-letters/redis/queue.ts';
import { RedisKeyringStore } from '../keys/store/redis/store.ts';
import { errorFields, silentLogger } from '../observability/logger.ts';
import { StoreCommands } from '../observability/store-commands.ts';
import type { Tracing } from '../observability/tracing/contract.ts';
import type { MsgOptions } from '../options.ts';
import { RedisRateLimiter } from '../rate-limits/redis/limiter.ts';
import { RedisSchemaStore } from '../schemas/store/redis/store.ts';
import { connectSharedStore } from '../shared-store/connect.ts';
import { RedisRedemptionStore } from '../tokens/refresh/redis/store.ts';
import { RedisRevocationStore } from '../tokens/revocation/redis/store.ts';
import { RedisLink } from './redis-link.ts';
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
  const commands = new StoreCommands();
  const traced = tracing === undefined ? undefined : tracedCommands(tracing);
  const connection = await connectSharedStore(redis, commands.around(traced));
  const { store } = connection;
  const registry = new RedisChannelRegistry({ store, nodeId, clock });
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
    link: new RedisLink({ connection, registry, nodeId, commands }),
  };
}
