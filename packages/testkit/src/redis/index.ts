export { RedisCluster } from './cluster.ts';
export {
  FaultProxy,
  type ProxiedConnection,
  type ProxyFault,
  type ProxyTap,
  type ProxyTarget,
} from './fault-proxy.ts';
export { RedisSentinels, SENTINEL_MASTER } from './sentinel.ts';
export { type RedisDirective, RedisServer, type RedisServerOptions, redisProgram } from './server.ts';
export {
  freshPrefix,
  KINDS_OF_RUN,
  type RunningStore,
  startStoreOfRun,
  startTopology,
  storeOfRun,
  TOPOLOGIES,
  type Topology,
  threadsOfRun,
  topologyOfRun,
} from './topology.ts';
