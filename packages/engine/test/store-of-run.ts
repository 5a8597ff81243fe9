import { type NodeOptions, RealtimeNode } from '@msg/engine';
import { redisBackends } from '@msg/engine/redis';
import { threadBackends, threadHost } from '@msg/engine/threads';
import type { Clock } from '@msg/foundation/clock';
import { openRedis } from '@msg/redis';
import { freshPrefix, storeOfRun, threadsOfRun } from '@msg/testkit/redis';

/** Backends of one node on the store of this run, or on a thread whose main has memory. */
export interface StoreOfRun {
  readonly backends: Required<Pick<NodeOptions, 'broker' | 'presence' | 'control'>>;
  /** Ends the connections; after the node has stopped. */
  close(): Promise<void>;
}

/** Connects one node to the store of this run, under keys of its own; null where the run is on memory. */
export async function openStoreOfRun(
  clock: Clock,
  onError: (error: unknown) => void,
): Promise<StoreOfRun | null> {
  if (threadsOfRun() !== null) return openThread(clock, onError);
  const address = storeOfRun();
  if (address === null) return null;
  const store = await openRedis({ address });
  const backends = redisBackends([store], { prefix: `${freshPrefix()}:b:1`, clock, onError });
  return { backends, close: async () => store.close() };
}

/** A thread's end of the link to a main node; both are in this thread, with one clock. */
async function openThread(clock: Clock, onError: (error: unknown) => void): Promise<StoreOfRun> {
  const host = threadHost({ clock, onError });
  const main = new RealtimeNode({ policy: { connect: () => ({ user: '' }) }, ...host.backends, onError });
  await main.start();
  const attached = host.attach(1);
  const { backends, close } = threadBackends(attached.link, { clock, onError, onBroken: onError });
  return {
    backends,
    async close() {
      close();
      await attached.detach();
      await main.shutdown();
    },
  };
}
