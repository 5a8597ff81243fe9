import { type RedisBackends, redisBackends } from '@msg/engine/redis';
import type { Clock } from '@msg/foundation/clock';
import { openRedis } from '@msg/redis';
import { freshPrefix, storeOfRun } from '@msg/testkit/redis';

/** Backends of one node on the store of this run. */
export interface StoreOfRun {
  readonly backends: RedisBackends;
  /** Ends the connections; after the node has stopped. */
  close(): void;
}

/** Connects one node to the store of this run, under keys of its own; null where the run is on memory. */
export async function openStoreOfRun(
  clock: Clock,
  onError: (error: unknown) => void,
): Promise<StoreOfRun | null> {
  const address = storeOfRun();
  if (address === null) return null;
  const store = await openRedis({ address });
  const backends = redisBackends([store], { prefix: `${freshPrefix()}:b:1`, clock, onError });
  return { backends, close: () => store.close() };
}
