import type { Policy } from '@msg/engine';
import type { Encoding, Publication } from '@msg/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { Harness, OPEN_POLICY } from './harness.ts';

let harness: Harness;
afterEach(() => harness.stop());

async function start(policy: Partial<Policy> = {}): Promise<void> {
  harness = await Harness.start({ policy: { ...OPEN_POLICY, ...policy } });
}

/** Together they are a list that connections share. */
const LARGE = Buffer.alloc(20_000, 0xfe);
const PAYLOADS = [Buffer.of(0xff, 0xfe), Buffer.from('{"n":1}'), Buffer.of(0x22, 0xc3, 0x28, 0x22)];

const publishAll = async (payloads: readonly Buffer[], tags?: ReadonlyMap<string, string>) => {
  for (const data of payloads)
    await harness.node.publish('news', data, { delta: true, ...(tags && { tags }) });
};
const epochOf = async () => (await harness.node.history('news', { limit: 0 })).epoch;

const isText = (bytes: Buffer) => Buffer.from(bytes.toString()).equals(bytes);
const shown = (encoding: Encoding, payload: Buffer, tags: readonly [string, string][] = []) =>
  encoding === 'protobuf' || isText(payload)
    ? { data: payload, tags: new Map(tags) }
    : {
        data: Buffer.from(JSON.stringify(payload.toString('base64'))),
        tags: new Map([...tags, ['msg-encoding', 'base64']]),
      };
const received = ({ data, tags }: Publication) => ({ data: Buffer.from(data.bytes), tags });

describe.each<Encoding>(['json', 'protobuf'])('payloads that are not UTF-8, %s', encoding => {
  it.each([
    ['small', PAYLOADS],
    ['large', [...PAYLOADS, LARGE]],
  ])('are recovered and listed in the history, %s', async (_, payloads) => {
    await start();
    await publishAll(payloads);
    const client = await harness.connected({ encoding });
    const expected = payloads.map(payload => shown(encoding, payload));
    const recover = { channel: 'news', recover: true, offset: 0, epoch: await epochOf() };
    const { subscribe } = await client.request({ subscribe: recover });
    expect(subscribe?.publications.map(received)).toEqual(expected);
    const { history } = await client.request({ history: { channel: 'news', limit: -1 } });
    expect(history?.publications.map(received)).toEqual(expected);
    const newestFirst = { channel: 'news', limit: -1, reverse: true };
    const { history: reversed } = await client.request({ history: newestFirst });
    expect(reversed?.publications.map(received)).toEqual(expected.toReversed());
  });

  it.each([
    ['small', PAYLOADS],
    ['large', [...PAYLOADS, LARGE]],
  ])('are recovered by delta subscriptions in full, %s', async (_, payloads) => {
    await start({ subscribe: () => ({ recovery: 'stream', delta: true }) });
    await publishAll(payloads);
    const client = await harness.connected({ encoding });
    const recover = { channel: 'news', recover: true, offset: 0, epoch: await epochOf(), delta: 'fossil' };
    const { subscribe } = await client.request({ subscribe: recover });
    for (const [i, { data, delta, tags }] of (subscribe?.publications ?? []).entries()) {
      const expected = shown(encoding, payloads[i] as Buffer);
      const text = encoding === 'json' ? JSON.stringify(expected.data.toString()) : expected.data;
      expect({ data: Buffer.from(data.bytes), delta, tags }).toEqual({
        ...expected,
        data: Buffer.from(text),
        delta: false,
      });
    }
    expect(subscribe?.publications.length).toBe(payloads.length);
  });

  it('are the latest value of a cache', async () => {
    await start({ subscribe: () => ({ recovery: 'cache', autoCacheRecovery: true }) });
    await publishAll([LARGE]);
    const client = await harness.connected({ encoding });
    const { subscribe } = await client.request({ subscribe: { channel: 'news' } });
    expect(subscribe?.publications.map(received)).toEqual([shown(encoding, LARGE)]);
  });

  it('follow a subscription that the server adds', async () => {
    await start({ connect: () => ({ user: 'u' }) });
    await publishAll(PAYLOADS);
    const client = await harness.connected({ encoding });
    await harness.node.subscribe(
      { user: 'u' },
      'news',
      { recovery: 'stream' },
      { offset: 0, epoch: await epochOf() },
    );
    await client.push();
    for (const payload of PAYLOADS) {
      const { pub } = await client.push();
      expect(received(pub as Publication)).toEqual(shown(encoding, payload));
    }
  });

  it('leave filters to the tags of the publisher', async () => {
    await start({ subscribe: () => ({ tagsFilter: true, recovery: 'stream' }) });
    const client = await harness.connected({ encoding });
    const tf = { key: 'msg-encoding', cmp: 'nex' };
    await client.request({ subscribe: { channel: 'news', tf } });
    await publishAll(PAYLOADS, new Map([['kind', 'bytes']]));
    for (const payload of PAYLOADS) {
      const { pub } = await client.push();
      expect(received(pub as Publication)).toEqual(shown(encoding, payload, [['kind', 'bytes']]));
    }
  });

  it('are left out of what others see of a subscriber', async () => {
    await start({
      connect: () => ({ user: 'u', info: Buffer.of(0xff) }),
      subscribe: () => ({
        info: Buffer.of(0xfe),
        emitPresence: true,
        emitJoinLeave: true,
        pushJoinLeave: true,
        recovery: 'stream',
      }),
      presence: () => {},
    });
    const client = await harness.connected({ encoding });
    await client.request({ subscribe: { channel: 'news', joinLeave: true } });
    const info = {
      connInfo: encoding === 'json' ? null : new Uint8Array([0xff]),
      chanInfo: encoding === 'json' ? null : new Uint8Array([0xfe]),
    };
    expect((await client.push()).join?.info).toMatchObject({ user: 'u', ...info });
    const { presence } = await client.request({ presence: { channel: 'news' } });
    expect([...(presence?.presence.values() ?? [])]).toMatchObject([{ user: 'u', ...info }]);
    await client.request({ publish: { channel: 'news', data: Buffer.from('{"n":1}') } });
    expect((await client.push()).pub?.info).toMatchObject({ user: 'u', ...info });
    const { history } = await client.request({ history: { channel: 'news', limit: -1 } });
    expect(history?.publications[0]?.info).toMatchObject({ user: 'u', ...info });
  });

  it.each(['live', 'recovered', 'history'])(
    'end JSON connections where the policy says so: %s',
    async how => {
      await start({ binaryPayloads: 'disconnect' });
      const client = await harness.connected({ encoding });
      if (how !== 'live') await publishAll(PAYLOADS);
      const epoch = await epochOf();
      client.send({ subscribe: { channel: 'news', recover: how === 'recovered', offset: 0, epoch } });
      const subscribed = () => client.take(({ subscribe }) => subscribe !== null);
      const bytes = new Uint8Array(PAYLOADS[0] as Buffer);
      if (how !== 'recovered') await subscribed();
      if (how === 'live') await publishAll(PAYLOADS);
      if (how === 'history') client.send({ history: { channel: 'news', limit: -1 } });
      if (encoding === 'json') {
        expect(await client.closed()).toEqual({ code: 3506, reason: 'inappropriate protocol' });
      } else if (how === 'live') {
        expect((await client.push()).pub?.data.bytes).toEqual(bytes);
      } else if (how === 'recovered') {
        expect((await subscribed()).subscribe?.publications[0]?.data.bytes).toEqual(bytes);
      } else {
        const { history } = await client.take(reply => reply.history !== null);
        expect(history?.publications[0]?.data.bytes).toEqual(bytes);
      }
    },
  );
});
