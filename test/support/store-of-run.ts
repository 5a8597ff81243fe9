import { startStoreOfRun, topologyOfRun } from '@msg/testkit/redis';

/** Global set-up of a test run on a store. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  const topology = topologyOfRun();
  return topology === null ? undefined : startStoreOfRun(topology);
}
