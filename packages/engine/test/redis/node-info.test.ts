import { RealtimeNode } from '@msg/engine';
import { redisBackends } from '@msg/engine/redis';
import { decodeControl } from '@msg/protocol/internal';
import { openRedis } from '@msg/redis';
import { eventually } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { expect, it, onTestFinished } from 'vitest';
import { OPEN_POLICY } from '../harness.ts';

const TEST_MS = 180_000;

it(
  'a node tells its version to the others, whatever server they run',
  async () => {
    const redis = await RedisServer.start();
    onTestFinished(() => redis.stop());
    const store = await openRedis({ address: redis.address });
    onTestFinished(() => store.close());
    const versions = new Set<string>();
    const listener = store.subscriptions('edge.probe', {
      message: (_channel, bytes) => {
        const { node } = decodeControl(bytes);
        if (node !== null) versions.add(`${node.uid} ${node.version}`);
      },
      restored: () => {},
    });
    await listener.start();
    await listener.subscribe('edge.control');
    const backends = redisBackends([store], { prefix: 'edge' });
    const node = new RealtimeNode({ ...backends, policy: OPEN_POLICY, version: '4.5.6', nodeId: 'n1' });
    await node.start();
    onTestFinished(() => node.shutdown());
    await eventually('the node introduces itself', () => versions.size > 0);
    expect([...versions]).toEqual(['n1 4.5.6']);
    listener.close();
  },
  TEST_MS,
);
