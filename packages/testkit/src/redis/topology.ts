import { RedisCluster } from './cluster.ts';
import { RedisSentinels } from './sentinel.ts';
import { RedisServer } from './server.ts';

/** Every way in which a store can be laid out. */
export const TOPOLOGIES = ['standalone', 'sentinel', 'cluster'] as const;
export type Topology = (typeof TOPOLOGIES)[number];

/** A running store of whatever topology. */
export interface RunningStore {
  /** What `--redis-addr` takes. */
  readonly address: string;
  stop(): Promise<void>;
}

/** Starts real servers: one; a master with two replicas and three Sentinels; a cluster of three masters. */
export function startTopology(topology: Topology): Promise<RunningStore> {
  switch (topology) {
    case 'standalone':
      return RedisServer.start();
    case 'sentinel':
      return RedisSentinels.start();
    case 'cluster':
      return RedisCluster.start();
  }
}

/** The topology that `MSG_TEST_STORE` names for this test run; null: the suites run on memory. */
export function topologyOfRun(): Topology | null {
  const name = process.env['MSG_TEST_STORE'] || null;
  if (name === null) return null;
  const known = TOPOLOGIES.find(topology => topology === name);
  if (known === undefined) throw new Error(`MSG_TEST_STORE: ${name} is none of ${TOPOLOGIES.join(', ')}`);
  return known;
}

const ADDRESS = 'MSG_TEST_STORE_ADDRESS';

/** Starts the store of this test run, once for all of its files; answers how to stop it. */
export async function startStoreOfRun(topology: Topology): Promise<() => Promise<void>> {
  const store = await startTopology(topology);
  process.env[ADDRESS] = store.address;
  return () => store.stop();
}

/** Where the store of this test run is; null: the suites run on memory. */
export function storeOfRun(): string | null {
  if (topologyOfRun() === null) return null;
  const address = process.env[ADDRESS];
  if (address === undefined) throw new Error('the store of this run was not started');
  return address;
}

/** A key prefix that nothing else on the store uses. */
export function freshPrefix(): string {
  return `t-${crypto.randomUUID()}`;
}
