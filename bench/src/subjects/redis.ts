import { RealtimeNode } from '@msg/engine';
import { redisBackends } from '@msg/engine/redis';
import { openRedis, type RedisStore } from '@msg/redis';
import type { Operation, SubjectEnvironment } from './operation.ts';

export const PAYLOAD = Buffer.from(JSON.stringify('x'.repeat(254)));
export const STREAM = { size: 100, ttlMs: 300_000 };
const CHANNELS = 50;
const WAITING = 256;

/** A node that is one of several on a store; every channel is open. */
export async function clusteredNode(
  address: string,
  prefix?: string,
): Promise<{ node: RealtimeNode; store: RedisStore }> {
  const store = await openRedis({ address });
  const policy = {
    connect: () => ({ user: '' }),
    subscribe: () => ({ recovery: 'stream' as const }),
    streamOptions: () => STREAM,
  };
  const options = prefix === undefined ? {} : { prefix };
  const node = new RealtimeNode({ policy, ...redisBackends([store], options) });
  await node.start();
  return { node, store };
}

/** What one publication on `near` takes to the subscriber of `far`. */
export async function publishAcross(near: RealtimeNode, far: RealtimeNode): Promise<() => Promise<void>> {
  let arrived: () => void = () => {};
  const reader = await far.connect({
    onPush: ({ pub }) => {
      if (pub !== null) arrived();
    },
  });
  await reader.subscribe('bench.latency');
  return async () => {
    const there = new Promise<void>(resolve => {
      arrived = resolve;
    });
    await near.publish('bench.latency', PAYLOAD);
    await there;
  };
}

/** Publishing through a store, many at a time, and one at a time to the subscriber of another node. */
export async function operations({ redis }: SubjectEnvironment): Promise<readonly Operation[]> {
  const prefix = `bench-${process.pid}`;
  const [near, far] = [await clusteredNode(redis, prefix), await clusteredNode(redis, prefix)];
  let next = 0;
  const publish = () => near.node.publish(`bench.${next++ % CHANNELS}`, PAYLOAD);
  return [
    { name: 'publication, node CPU', clock: 'cpu', concurrency: WAITING, run: publish },
    { name: 'publication', clock: 'wall', concurrency: WAITING, run: publish },
    {
      name: 'publication to another node',
      clock: 'wall',
      run: await publishAcross(near.node, far.node),
    },
  ];
}
