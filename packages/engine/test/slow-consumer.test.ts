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
  it('is cut with 3008 when more than 1 MiB waits for it, and other readers do not notice', async () => {
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

  it('misses volatile publications above 64 KiB instead of being cut, and nothing else', async () => {
    harness = await Harness.start();
    const slow = await stuck('news');
    const fine = await harness.connected();
    await fine.request({ subscribe: { channel: 'news' } });
    const cursor = (n: number) => Buffer.from(JSON.stringify({ n, pad: 'x'.repeat(8 * KIB) }));
    let published = 0;
    await eventually('the slow one misses some', async () => {
      for (let i = 0; i < 10; i++)
        await harness.node.publish('news', cursor(++published), { volatile: true });
      await new Promise(resolve => setImmediate(resolve));
      return harness.node.stats().volatileDrops > 200;
    });
    await harness.publish('news', '"kept"');
    for (let n = 1; n <= published; n++) expect((await fine.push()).pub).toMatchObject({ offset: 0 });
    expect((await fine.push()).pub).toMatchObject({ offset: 1 });
    expect(harness.node.stats()).toMatchObject({ connections: 2, slowConsumers: 0 });
    slow.websocket.resume();
    const received: number[] = [];
    for (let offset = 0; offset === 0; ) {
      const { pub } = await slow.push();
      offset = pub?.offset ?? 0;
      if (offset === 0) received.push(JSON.parse(String(Buffer.from(pub?.data.bytes ?? []))).n);
    }
    expect(received).toEqual(received.toSorted((a, b) => a - b));
    expect(received.length + harness.node.stats().volatileDrops).toBe(published);
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
  it('gets every volatile publication of a burst of more than 64 KiB within one turn', async () => {
    harness = await Harness.start();
    const client = await harness.connected();
    await client.request({ subscribe: { channel: 'news' } });
    const burst = Array.from({ length: 20 }, () =>
      harness.node.publish('news', Buffer.from(payload(20 * KIB)), { volatile: true }),
    );
    await Promise.all(burst);
    for (let n = 0; n < 20; n++) expect((await client.push()).pub?.data.bytes.length).toBe(20 * KIB);
    expect(harness.node.stats().volatileDrops).toBe(0);
  });

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

describe('a long recovery on its way', () => {
  const COUNT = 60;

  /** A client that has asked for 60 × 256 KiB and reads nothing yet. */
  async function asking(): Promise<RawClient> {
    harness = await Harness.start({ limits: { pingMs: 0 } });
    for (let i = 0; i < COUNT; i++) await harness.publish('news', payload(256 * KIB));
    const client = await harness.connected();
    client.websocket.pause();
    client.send({ subscribe: { channel: 'news', recover: true } });
    await eventually('the socket takes no more', async () => {
      const before = harness.node.stats().bytesOut;
      for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setImmediate(resolve));
      return before > 64 * KIB && harness.node.stats().bytesOut === before;
    });
    expect(harness.node.stats().bytesOut).toBeLessThan(COUNT * 256 * KIB);
    return client;
  }

  const offsetsOf = (client: RawClient) =>
    client.received.flatMap(({ subscribe, push }) => [
      ...(subscribe?.publications.map(({ offset }) => offset) ?? []),
      ...(push?.pub === null || push?.pub === undefined ? [] : [push.pub.offset]),
    ]);
  const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

  it('arrives whole, and what was published meanwhile after it', async () => {
    const client = await asking();
    for (let i = 0; i < 5; i++) await harness.publish('news', '1');
    client.websocket.resume();
    await eventually('all of it', () => offsetsOf(client).length >= COUNT + 5);
    expect(offsetsOf(client)).toEqual(upTo(COUNT + 5));
    expect(harness.node.stats().sharedReplyBytes).toBe(0);
  });

  it('has no control frame inside it: the last ping of the client is answered after it', async () => {
    const client = await asking();
    const pongs: string[] = [];
    client.websocket.on('pong', payload => pongs.push(payload.toString()));
    for (const payload of ['one', 'two', 'three']) client.websocket.ping(payload);
    client.send({ rpc: {} });
    await new Promise(resolve => setImmediate(resolve));
    await eventually('the pings have arrived', async () => {
      const before = harness.node.stats().bytesIn;
      for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setImmediate(resolve));
      return harness.node.stats().bytesIn === before;
    });
    client.websocket.resume();
    await eventually('all of it', () => offsetsOf(client).length >= COUNT);
    expect(offsetsOf(client)).toEqual(upTo(COUNT));
    await eventually('a pong', () => pongs.length > 0);
    expect(pongs.at(-1)).toBe('three');
    expect(client.websocket.readyState).toBe(client.websocket.OPEN);
  });

  it('arrives whole before the close frame of a disconnect', async () => {
    const client = await asking();
    await harness.node.disconnect({ allUsers: true }, { code: 4500, reason: 'bye' });
    expect(harness.node.stats().connections).toBe(0);
    expect(harness.node.stats().queueBytes).toBeGreaterThan(64 * KIB);
    client.websocket.resume();
    expect(await client.closed()).toEqual({ code: 4500, reason: 'bye' });
    expect(offsetsOf(client)).toEqual(upTo(COUNT));
    await eventually('nothing is left', () => harness.node.stats().sharedReplyBytes === 0);
  });

  it('is dropped with a connection that was disconnected and takes nothing more', async () => {
    const client = await asking();
    await harness.node.disconnect({ allUsers: true }, { code: 4500, reason: 'bye' });
    await harness.clock.advance(6000);
    await eventually('nothing is left', () => harness.node.stats().sharedReplyBytes === 0);
    client.websocket.resume();
    expect((await client.closed()).code).toBe(1006);
  });

  it('is dropped with a peer that takes nothing for a second', async () => {
    const client = await asking();
    expect(harness.node.stats()).toMatchObject({ connections: 1, slowConsumers: 0 });
    await harness.clock.advance(2500);
    expect(harness.node.stats()).toMatchObject({ connections: 0, slowConsumers: 1, sharedReplyBytes: 0 });
    client.websocket.resume();
    expect((await client.closed()).code).toBe(1006);
  });

  it('is dropped when the peer goes', async () => {
    const client = await asking();
    client.websocket.terminate();
    await eventually('nothing is left', () => harness.node.stats().sharedReplyBytes === 0);
    expect(harness.node.stats().connections).toBe(0);
  });
});

describe('long replies', () => {
  it('get error 111 while the windows of others take all memory they may have', async () => {
    harness = await Harness.start({ limits: { pingMs: 0, replyBytes: 1024 * KIB } });
    for (const channel of ['large', 'other']) {
      for (let i = 0; i < 60; i++) await harness.publish(channel, payload(256 * KIB));
    }
    const [holder, client] = [await harness.connected(), await harness.connected()];
    holder.websocket.pause();
    holder.send({ subscribe: { channel: 'large', recover: true } });
    await eventually('a window is held', () => harness.node.stats().sharedReplyBytes > 1024 * KIB);
    const recovery = await client.request({ subscribe: { channel: 'other', recover: true } });
    expect(recovery.error).toMatchObject({ code: 111, temporary: true });
    const history = await client.request({ history: { channel: 'other', limit: 60 } });
    expect(history.error).toMatchObject({ code: 111, temporary: true });
    expect((await client.request({ history: { channel: 'other', limit: 0 } })).error).toBeNull();
    holder.websocket.terminate();
    await eventually('nothing is held', () => harness.node.stats().sharedReplyBytes === 0);
    const { subscribe } = await client.request({ subscribe: { channel: 'other', recover: true } });
    expect(subscribe?.publications).toHaveLength(60);
  });
});

describe('long replies of one connection alone', () => {
  const LARGE = payload(8 * KIB * KIB);

  it('get error 111 before the work while those of others take all memory they may have', async () => {
    let executed = 0;
    harness = await Harness.start({
      limits: { pingMs: 0, replyBytes: 4 * KIB * KIB, writeStallMs: 3_600_000 },
      policy: {
        ...OPEN_POLICY,
        presence: () => {},
        rpc: () => {
          executed++;
          return Buffer.from(LARGE);
        },
      },
    });
    const [holder, client] = [await harness.connected(), await harness.connected()];
    for (const end of ['reads on', 'goes'] as const) {
      const reader = end === 'goes' ? holder : await harness.connected();
      reader.websocket.pause();
      reader.send({ rpc: {} });
      await eventually('its answer waits', () => harness.node.stats().queueBytes > 4 * KIB * KIB);
      const before = executed;
      for (const command of [{ rpc: {} }, { presence: { channel: 'news' } }]) {
        const { error } = await client.request(command);
        expect(error).toMatchObject({ code: 111, temporary: true });
      }
      expect(executed).toBe(before);
      if (end === 'goes') reader.websocket.terminate();
      else reader.websocket.resume();
      await eventually('there is room', async () => (await client.request({ rpc: {} })).error === null);
    }
  });
});

describe('a client that does not read its replies', () => {
  it('gets no further command executed once 32 KiB of them wait for the socket', async () => {
    let executed = 0;
    harness = await Harness.start({
      limits: { writeStallMs: 3_600_000, pingMs: 0 },
      policy: {
        ...OPEN_POLICY,
        rpc: () => {
          executed++;
          return Buffer.from(payload(KIB));
        },
      },
    });
    const client = await harness.connected();
    client.websocket.pause();
    const sent = 40_000;
    for (let i = 0; i < sent; i++) client.send({ rpc: {} });
    await eventually('execution has stopped', async () => {
      const before = executed;
      for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setImmediate(resolve));
      return executed > 0 && executed === before;
    });
    expect(executed).toBeLessThan(sent);
    // One piece is with the socket, and one command of a batch more may have run.
    expect(harness.node.stats().queueBytes).toBeLessThan(200 * KIB);
    client.websocket.resume();
    await eventually('every one', () => client.received.filter(({ rpc }) => rpc !== null).length === sent);
  });
});

describe('limits.historyItems', () => {
  const items = async (limit: number) => {
    const client = await harness.connected();
    const { history } = await client.request({ history: { channel: 'news', limit } });
    return history?.publications.length;
  };

  it('is 1,000 by default, and does not cut a recovery', async () => {
    harness = await Harness.start({
      policy: { ...OPEN_POLICY, streamOptions: () => ({ size: 2000, ttlMs: 300_000 }) },
    });
    for (let i = 0; i < 1500; i++) await harness.publish('news', '1');
    expect(await items(-1)).toBe(1000);
    expect(await items(1200)).toBe(1000);
    expect(await items(10)).toBe(10);
    const client = await harness.connected();
    const { subscribe } = await client.request({ subscribe: { channel: 'news', recover: true } });
    expect(subscribe?.recovered).toBe(true);
    expect(subscribe?.publications.length).toBe(1500);
  });
});
