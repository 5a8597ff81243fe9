import { eventually, type RawClient } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { Harness, OPEN_POLICY } from './harness.ts';

let harness: Harness;
afterEach(() => harness.stop());

const KIB = 1024;
const payload = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 2));

/** A client that has stopped reading, with the socket between full. */
async function stuck(channel: string): Promise<RawClient> {
  const client = await harness.connected();
  await client.request({ subscribe: { channel } });
  client.websocket.pause();
  return client;
}

describe('a slow reader', () => {
  it('is cut with 3008 when more than 1 MiB waits for it, and nobody else notices', async () => {
    harness = await Harness.start();
    const slow = await stuck('news');
    const fine = await harness.connected();
    await fine.request({ subscribe: { channel: 'news' } });
    let published = 0;
    await eventually('the slow one is cut', async () => {
      for (let i = 0; i < 10; i++) {
        published++;
        await harness.publish('news', payload(32 * KIB));
      }
      await new Promise(resolve => setImmediate(resolve));
      return harness.node.stats().slowConsumers === 1;
    });
    expect(harness.node.stats().connections).toBe(1);
    for (let offset = 1; offset <= published; offset++) expect((await fine.push()).pub?.offset).toBe(offset);
    // 1 MiB of ours plus whatever the operating system takes for both ends.
    expect(published * 32 * KIB).toBeLessThan(16 * KIB * KIB);
    // Once it reads on, it learns why.
    slow.websocket.resume();
    expect(await slow.closed()).toEqual({ code: 3008, reason: 'slow' });
  });

  it('is cut with 3009 when it takes nothing for a second', async () => {
    harness = await Harness.start();
    await stuck('news');
    await harness.publish('news', '1');
    const { timers } = harness.node.stats();
    // One more watches the write.
    while (harness.node.stats().timers === timers) {
      await harness.publish('news', payload(32 * KIB));
      await new Promise(resolve => setImmediate(resolve));
    }
    expect(harness.node.stats().connections).toBe(1);
    await harness.clock.advance(2500);
    expect(harness.node.stats()).toMatchObject({ connections: 0, slowConsumers: 1 });
  });
});

describe('a healthy reader', () => {
  it('survives a burst of more than 1 MiB within one turn', async () => {
    harness = await Harness.start();
    const client = await harness.connected();
    await client.request({ subscribe: { channel: 'news' } });
    const burst = Array.from({ length: 100 }, (_, i) => harness.publish('news', payload(20 * KIB + i)));
    await Promise.all(burst);
    const arrived = await eventually('everything arrived or the connection is cut', () => {
      return client.received.length === 100 || harness.node.stats().connections === 0;
    });
    expect(arrived).toBeUndefined();
    expect(client.received.map(({ push }) => push?.pub?.offset)).toEqual(
      Array.from({ length: 100 }, (_, i) => i + 1),
    );
  });

  it('gets a single push, or a recovery, above the limit', async () => {
    harness = await Harness.start({ limits: { queueBytes: 64 * KIB } });
    const client = await harness.connected();
    const { subscribe } = await client.request({ subscribe: { channel: 'news' } });
    await harness.publish('news', payload(3000 * KIB));
    expect((await client.push()).pub?.data.bytes.length).toBe(3000 * KIB);
    await client.request({ unsubscribe: { channel: 'news' } });
    for (let i = 0; i < 50; i++) await harness.publish('news', payload(60 * KIB));
    const recovered = await client.request({
      subscribe: { channel: 'news', recover: true, offset: 1, epoch: subscribe?.epoch ?? '' },
    });
    expect(recovered.subscribe?.publications.length).toBe(50);
  });

  it('whose replies are not read yet gets no further command executed, and loses none', async () => {
    const executed: number[] = [];
    harness = await Harness.start({
      limits: { queueBytes: 256 * KIB, writeStallMs: 3_600_000 },
      policy: {
        ...OPEN_POLICY,
        rpc: (_client, { data }) => {
          executed.push(Number(Buffer.from(data).toString()));
          return Buffer.from(payload(1000 * KIB));
        },
      },
    });
    const client = await harness.connected();
    client.websocket.pause();
    for (let i = 0; i < 60; i++) client.send({ rpc: { data: Buffer.from(String(i)) } });
    await eventually('execution has stopped', async () => {
      const before = executed.length;
      for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setImmediate(resolve));
      return executed.length > 0 && executed.length === before;
    });
    expect(executed.length).toBeLessThan(60);
    client.websocket.resume();
    for (let id = 2; id <= 61; id++) expect((await client.take(reply => reply.id === id)).rpc).not.toBeNull();
    expect(executed).toEqual(Array.from({ length: 60 }, (_, i) => i));
  });
});
