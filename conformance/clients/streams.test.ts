import type { Centrifuge, Subscription, SubscriptionOptions } from 'centrifuge';
import { describe, expect, test } from 'vitest';
import {
  api,
  type ClientOptions,
  client,
  disconnected,
  event,
  publications,
  TRANSPORTS,
  uniqueChannel,
} from './client.ts';

describe.each(TRANSPORTS)('%s', transport => {
  async function connected(options: ClientOptions = {}): Promise<Centrifuge> {
    const c = client(transport, options);
    c.connect();
    await c.ready(5000);
    return c;
  }

  async function live(
    c: Centrifuge,
    channel: string,
    options?: Partial<SubscriptionOptions>,
  ): Promise<Subscription> {
    const sub = c.newSubscription(channel, options);
    sub.subscribe();
    await sub.ready(5000);
    return sub;
  }

  async function publish(channel: string, ...values: unknown[]): Promise<void> {
    for (const data of values) await api('publish', { channel, data });
  }

  describe('recovery', () => {
    test('delivers what was missed after a disconnect, then goes on', async () => {
      const channel = uniqueChannel('recovery:');
      const c = await connected();
      const sub = await live(c, channel);
      const received = publications(sub, 5);
      const first = event(sub, 'publication');
      await publish(channel, 1);
      await first;
      c.disconnect();
      await publish(channel, 2, 3, 4);
      const back = event(sub, 'subscribed');
      c.connect();
      expect(await back).toMatchObject({ recovered: true, wasRecovering: true });
      await publish(channel, 5);
      expect(await received).toEqual([1, 2, 3, 4, 5]);
      await disconnected(c);
    });

    test('delivers what was missed between unsubscribe and subscribe', async () => {
      const channel = uniqueChannel('recovery:');
      const c = await connected();
      const sub = await live(c, channel);
      const received = publications(sub, 3);
      const first = event(sub, 'publication');
      await publish(channel, 1);
      await first;
      sub.unsubscribe();
      await publish(channel, 2, 3);
      const back = event(sub, 'subscribed');
      sub.subscribe();
      expect(await back).toMatchObject({ recovered: true });
      expect(await received).toEqual([1, 2, 3]);
      await disconnected(c);
    });

    test('says so when the position is out of reach, and goes on live', async () => {
      const channel = uniqueChannel('smallhistory:');
      const c = await connected();
      const sub = await live(c, channel);
      const first = event(sub, 'publication');
      await publish(channel, 1);
      await first;
      sub.unsubscribe();
      await publish(channel, 2, 3, 4, 5);
      const back = event(sub, 'subscribed');
      sub.subscribe();
      expect(await back).toMatchObject({ wasRecovering: true, recovered: false });
      const next = publications(sub, 1);
      await publish(channel, 6);
      expect(await next).toEqual([6]);
      await disconnected(c);
    });
  });

  describe('deltas', () => {
    const payload = 'a'.repeat(500);
    const similar = (count: number): object[] =>
      Array.from({ length: count }, (_, index) => ({ index, payload }));

    test.each([3, 10])('%d similar publications: one full, patches after it', async count => {
      const channel = uniqueChannel('delta:');
      const c = await connected();
      const sub = await live(c, channel, { delta: 'fossil' });
      const received = publications(sub, count);
      await publish(channel, ...similar(count));
      expect(await received).toEqual(similar(count));
      const stats = sub.deltaStats();
      expect(stats).toMatchObject({
        numPublications: count,
        numFullPayloads: 1,
        numDeltaPayloads: count - 1,
      });
      expect(stats.bytesReceived).toBeLessThan(stats.bytesDecoded);
      await disconnected(c);
    });

    test.each(['disconnect', 'unsubscribe'] as const)('recovered lists decode after a %s', async way => {
      const channel = uniqueChannel('delta:');
      const c = await connected();
      const sub = await live(c, channel, { delta: 'fossil' });
      const received = publications(sub, 3);
      const first = event(sub, 'publication');
      const [payload, ...missed] = similar(3);
      await publish(channel, payload);
      await first;
      if (way === 'disconnect') c.disconnect();
      else sub.unsubscribe();
      await publish(channel, ...missed);
      const back = event(sub, 'subscribed');
      if (way === 'disconnect') c.connect();
      else sub.subscribe();
      expect(await back).toMatchObject({ recovered: true });
      expect(await received).toEqual(similar(3));
      await disconnected(c);
    });
  });

  describe('state of the application', () => {
    const START = { offset: 0, epoch: '' };

    test('is asked for at the first subscribe, and again only when recovery fails', async () => {
      const channel = uniqueChannel('smallhistory:');
      const c = await connected();
      let calls = 0;
      const sub = await live(c, channel, {
        minResubscribeDelay: 10,
        getState: async () => {
          calls += 1;
          const { offset, epoch } = await api('history', { channel, limit: 0 });
          return { offset, epoch };
        },
      });
      expect(calls).toBe(1);
      const recovered = event(sub, 'subscribed');
      c.disconnect();
      c.connect();
      await recovered;
      expect(calls).toBe(1);
      const again = event(sub, 'subscribed');
      c.disconnect();
      await publish(channel, 1, 2, 3, 4, 5);
      c.connect();
      await again;
      expect(calls).toBe(2);
      await disconnected(c);
    });

    test('with a real position recovers what was published since', async () => {
      const channel = uniqueChannel('');
      const { epoch } = await api('history', { channel, limit: 0 });
      await publish(channel, 1, 2);
      const c = await connected();
      const sub = c.newSubscription(channel, { getState: async () => ({ offset: 0, epoch }) });
      const received = publications(sub, 2);
      sub.subscribe();
      expect(await received).toEqual([1, 2]);
      await disconnected(c);
    });

    test('is not needed: a position given by hand works', async () => {
      const channel = uniqueChannel('');
      await publish(channel, 1);
      const c = await connected();
      await live(c, channel, { since: START });
      await disconnected(c);
    });

    test('that fails is an error event and another try, for as long as it fails', async () => {
      const channel = uniqueChannel('');
      const c = await connected();
      let calls = 0;
      const sub = c.newSubscription(channel, {
        minResubscribeDelay: 10,
        maxResubscribeDelay: 10,
        getState: async () => {
          calls += 1;
          if (calls < 4) throw new Error('no state');
          return START;
        },
      });
      const problem = event(sub, 'error');
      const back = event(sub, 'subscribed');
      sub.subscribe();
      expect(await problem).toMatchObject({
        type: 'subscribe',
        error: { message: expect.stringContaining('no state') },
      });
      await back;
      expect(calls).toBeGreaterThanOrEqual(4);
      await disconnected(c);
    });
  });
});
