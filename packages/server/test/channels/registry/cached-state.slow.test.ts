import { RedisCluster } from '@msg/testkit/redis';
import { cachedStateSuite } from './cached-state-suite.ts';

cachedStateSuite('cluster', () => RedisCluster.start());
