import { FaultProxy, RedisServer } from '@msg/testkit/redis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BOUND_MS, cachedStateSuite, publishUntilRefused, startService } from './cached-state-suite.ts';

cachedStateSuite('standalone', () => RedisServer.start());

describe('a node that is cut off', () => {
  /** A node behind a proxy and one beside it, with a channel into which the first publishes. */
  async function divided() {
    const redis = await RedisServer.start();
    onTestFinished(() => redis.stop());
    const proxy = await FaultProxy.start(redis);
    onTestFinished(() => proxy.stop());
    const there = await startService(redis.address, 'cut');
    const here = await startService(proxy.address, 'cut');
    onTestFinished(() => {
      proxy.fault = 'pass';
    });
    const name = 'public:cached.cut';
    await there.channels.openPublic(name);
    await here.publish(name, new Uint8Array());
    return { proxy, here, there, name };
  }

  it('from the events of other nodes refuses what begins a second after a close', async () => {
    const { proxy, here, there, name } = await divided();
    const outcome = publishUntilRefused(here, name);
    expect(proxy.silenceSubscriptions()).toBeGreaterThan(0);
    await there.channels.closePublic(name);
    const closedAt = performance.now();
    const { code, lastBegunAt } = await outcome;
    expect(code).toBe('MSG_CHANNEL_CLOSED');
    expect(lastBegunAt - closedAt).toBeLessThan(BOUND_MS);
  });

  it.each(['blackhole', 'cut'] as const)(
    'from the store by a %s accepts nothing, and knows the state when it is back',
    async fault => {
      const { proxy, here, there, name } = await divided();
      proxy.fault = fault;
      await there.channels.closePublic(name);
      const closedAt = performance.now();
      const { lastBegunAt } = await publishUntilRefused(here, name);
      expect(lastBegunAt - closedAt).toBeLessThan(BOUND_MS);
      while (performance.now() - closedAt < BOUND_MS) await new Promise(resolve => setTimeout(resolve, 50));
      proxy.fault = 'pass';
      // Until the node is connected again it answers that the store is away; then that the channel is closed.
      let code = '';
      while (code !== 'MSG_CHANNEL_CLOSED') {
        const outcome = await publishUntilRefused(here, name);
        expect(outcome.lastBegunAt).toBe(Number.NEGATIVE_INFINITY);
        expect(outcome.code).toMatch(/^MSG_(CHANNEL_CLOSED|BROKER_NOT_READY|BROKER_INTERNAL)$/);
        code = outcome.code;
        await new Promise(resolve => setTimeout(resolve, 20));
      }
      await there.channels.openPublic(name);
      expect((await here.publish(name, new Uint8Array())).offset).toBeGreaterThan(0);
    },
    120_000,
  );
});
