import { systemRandom } from '@msg/foundation/clock';
import type { Encoding, Payload } from '@msg/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Harness } from './harness.ts';

const text = (data: Payload | null | undefined): string => Buffer.from(data?.bytes ?? []).toString();

let harness: Harness;
beforeEach(async () => {
  harness = await Harness.start();
});
afterEach(() => harness.stop());

describe.each<Encoding>(['json', 'protobuf'])('over WebSocket, %s', encoding => {
  it('connect and subscribe in one frame get two replies, connect first', async () => {
    const client = await harness.open({ encoding });
    client.sendBatch([{ connect: { name: 'js' } }, { subscribe: { channel: 'news', flag: 1 } }]);
    const connect = await client.take(reply => reply.id > 0);
    expect(connect.id).toBe(1);
    expect(connect.connect).toMatchObject({
      version: '1.2.3',
      ping: 25,
      pong: true,
      session: '',
      expires: false,
    });
    expect(connect.connect?.client).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    const subscribe = await client.take(reply => reply.id > 0);
    expect(subscribe.id).toBe(2);
    expect(subscribe.subscribe).toMatchObject({
      recoverable: true,
      positioned: true,
      offset: 0,
      wasRecovering: false,
    });
    expect(subscribe.subscribe?.epoch).toMatch(/^[A-Za-z]{8}$/);
  });

  it('delivers publications in order, with consecutive offsets and verbatim payloads', async () => {
    const client = await harness.connected({ encoding });
    await client.request({ subscribe: { channel: 'news' } });
    const payloads = ['{"a": 1.0, "b":12345678901234567890,"a":2}', '[1e400]', '"ü"', 'null'];
    for (const payload of payloads) await harness.publish('news', payload);
    for (const [i, payload] of payloads.entries()) {
      const { channel, pub } = await client.push();
      expect(channel).toBe('news');
      expect(pub?.offset).toBe(i + 1);
      expect(text(pub?.data)).toBe(payload);
    }
  });

  it('answers a second subscribe with 105, unsubscribes, and delivers nothing afterwards', async () => {
    const client = await harness.connected({ encoding });
    await client.request({ subscribe: { channel: 'news' } });
    expect((await client.request({ subscribe: { channel: 'news' } })).error?.code).toBe(105);
    expect((await client.request({ unsubscribe: { channel: 'news' } })).unsubscribe).not.toBeNull();
    expect(harness.node.subscriberCount('news')).toBe(0);
    await harness.publish('news', '{}');
    expect((await client.request({ unsubscribe: { channel: 'news' } })).unsubscribe).not.toBeNull();
    expect(client.received).toEqual([]);
  });

  it('recovers what was missed, and says so only when continuity is proven', async () => {
    const first = await harness.connected({ encoding });
    const { subscribe } = await first.request({ subscribe: { channel: 'news' } });
    const epoch = subscribe?.epoch ?? '';
    await harness.publish('news', '1');
    await first.close();
    await harness.publish('news', '2');
    await harness.publish('news', '3');

    const again = await harness.connected({ encoding });
    const recovered = await again.request({
      subscribe: { channel: 'news', recover: true, offset: 1, epoch },
    });
    expect(recovered.subscribe).toMatchObject({ recovered: true, wasRecovering: true, offset: 1, epoch });
    expect(recovered.subscribe?.publications.map(p => [p.offset, text(p.data)])).toEqual([
      [2, '2'],
      [3, '3'],
    ]);
    await again.request({ unsubscribe: { channel: 'news' } });
    const foreign = await again.request({
      subscribe: { channel: 'news', recover: true, offset: 1, epoch: 'other' },
    });
    expect(foreign.subscribe).toMatchObject({ recovered: false, wasRecovering: true, offset: 3, epoch });
    expect(foreign.subscribe?.publications).toEqual([]);
    await harness.publish('news', '4');
    expect((await again.push()).pub?.offset).toBe(4);
  });

  it('rejects a failed recovery with 112 when the client asks for it, and keeps no subscription', async () => {
    const client = await harness.connected({ encoding });
    await harness.publish('news', '1');
    const reply = await client.request({
      subscribe: { channel: 'news', recover: true, offset: 9, epoch: 'other', flag: 2 },
    });
    expect(reply.error?.code).toBe(112);
    expect(harness.node.stats().subscriptions).toBe(0);
    expect((await client.request({ subscribe: { channel: 'news' } })).subscribe).not.toBeNull();
  });

  it('shows text that is not JSON to JSON connections as a string, other bytes as tagged base64', async () => {
    const client = await harness.connected({ encoding });
    await client.request({ subscribe: { channel: 'news' } });
    await harness.publish('news', 'boom');
    expect(text((await client.push()).pub?.data)).toBe(encoding === 'json' ? '"boom"' : 'boom');
    await harness.node.publish('news', Buffer.from([0xff, 0xfe]));
    const { pub } = await client.push();
    const expected = encoding === 'json' ? Buffer.from('"//4="') : Buffer.of(0xff, 0xfe);
    expect(Buffer.from(pub?.data.bytes ?? [])).toEqual(expected);
    expect(pub?.tags).toEqual(new Map(encoding === 'json' ? [['msg-encoding', 'base64']] : []));
  });

  it.each([
    ['another command before connect', [{ subscribe: { channel: 'a' } }]],
    ['a second connect', [{ connect: {} }, { connect: {} }]],
    ['an unknown delta', [{ connect: {} }, { subscribe: { channel: 'a', delta: 'other' } }]],
    ['an empty channel', [{ connect: {} }, { subscribe: { channel: '' } }]],
    ['a command without a request', [{ connect: {} }, {}]],
    ['the ping member', [{ connect: {} }, { ping: {} }]],
  ])('closes with 3501 on %s', async (_name, commands) => {
    const client = await harness.open({ encoding });
    client.sendBatch(commands);
    expect(await client.closed()).toEqual({ code: 3501, reason: 'bad request' });
  });

  it('closes with 3501 on garbage, on an empty frame and on an unsolicited pong', async () => {
    for (const frame of ['\u0007garbage', '']) {
      const client = await harness.open({ encoding });
      client.sendFrame(Buffer.from(frame));
      expect((await client.closed()).code).toBe(3501);
    }
    const early = await harness.open({ encoding });
    early.pong();
    expect((await early.closed()).code).toBe(3501);
    const unsolicited = await harness.connected({ encoding });
    unsolicited.pong();
    expect((await unsolicited.closed()).code).toBe(3501);
  });

  it('closes with 1009 on a message above 64 KiB', async () => {
    const client = await harness.connected({ encoding });
    client.sendFrame(Buffer.alloc(65_537, 0x20));
    expect((await client.closed()).code).toBe(1009);
  });

  it('refuses the 129th channel with 106 and a name of 256 bytes with 107', async () => {
    const client = await harness.connected({ encoding });
    client.sendBatch(Array.from({ length: 129 }, (_, i) => ({ subscribe: { channel: `c${i}` } })));
    const last = await client.take(reply => reply.id === 130);
    expect(last.error?.code).toBe(106);
    await client.request({ unsubscribe: { channel: 'c1' } });
    expect((await client.request({ subscribe: { channel: 'é'.repeat(128) } })).error?.code).toBe(107);
    expect((await client.request({ subscribe: { channel: 'é'.repeat(127) } })).error).toBeNull();
  });

  it.each([0, 0.5, 0.99])(
    'pings in the second half of the first interval (at fraction %d), then every 25 s',
    async fraction => {
      const other = await Harness.start({ random: { ...systemRandom, fraction: () => fraction } });
      const client = await other.connected({ encoding });
      const first = 12_500 * (1 + fraction);
      await other.clock.advance(first - 50);
      expect((await client.request({ unsubscribe: { channel: 'x' } })).unsubscribe).not.toBeNull();
      expect(client.received).toEqual([]);
      await other.clock.advance(200);
      await client.ping();
      client.pong();
      await client.request({ unsubscribe: { channel: 'x' } });
      await other.clock.advance(24_900);
      await client.ping();
      await other.stop();
    },
  );

  it('ends with 3012 when a ping stays without pong, and with 3501 on a second pong for one ping', async () => {
    const other = await Harness.start({ random: { ...systemRandom, fraction: () => 0 } });
    const silent = await other.connected({ encoding });
    const eager = await other.connected({ encoding });
    await other.clock.advance(12_700);
    await Promise.all([silent.ping(), eager.ping()]);
    eager.pong();
    eager.pong();
    expect((await eager.closed()).code).toBe(3501);
    await other.clock.advance(8100);
    expect(await silent.closed()).toEqual({ code: 3012, reason: 'no pong' });
    await other.stop();
  });

  it('ends with 3502 when no connect succeeds within 15 s', async () => {
    const client = await harness.open({ encoding });
    await harness.clock.advance(15_200);
    expect(await client.closed()).toEqual({ code: 3502, reason: 'stale' });
  });

  it('sends every client 3001 at shutdown', async () => {
    const clients = await Promise.all(Array.from({ length: 20 }, () => harness.connected({ encoding })));
    await harness.node.shutdown();
    for (const client of clients) expect(await client.closed()).toEqual({ code: 3001, reason: 'shutdown' });
  });
});
