import { Disconnect, MemoryPresence, type Policy, ReplyError, type SubscribeDecision } from '@msg/engine';
import type { Encoding } from '@msg/protocol';
import { eventually } from '@msg/testkit';
import { threadsOfRun } from '@msg/testkit/redis';
import { afterEach, describe, expect, it } from 'vitest';
import { Harness, OPEN_POLICY } from './harness.ts';

let harness: Harness;
afterEach(() => harness.stop());

async function start(policy: Partial<Policy>, limits = {}): Promise<void> {
  harness = await Harness.start({ policy: { ...OPEN_POLICY, ...policy }, limits });
}

const granting = (channels: Record<string, SubscribeDecision>): Partial<Policy> => ({
  connect: ({ token }) => ({ user: token, subscriptions: new Map(Object.entries(channels)) }),
});

describe.each<Encoding>(['json', 'protobuf'])('server-side subscriptions, %s', encoding => {
  it('come with the connect result, recover from the remembered position and deliver', async () => {
    await start(granting({ news: { recovery: 'stream' }, plain: {} }));
    for (let i = 1; i <= 3; i++) await harness.publish('news', String(i));
    const { epoch } = await harness.node.history('news', { limit: 0 });
    const client = await harness.open({ encoding });
    const subs = new Map([
      ['news', { recover: true, offset: 1, epoch }],
      ['not granted', { recover: true, offset: 9, epoch }],
    ]);
    const { connect } = await client.request({ connect: { subs } });
    expect([...(connect?.subs.keys() ?? [])].sort()).toEqual(['news', 'plain']);
    const news = connect?.subs.get('news');
    expect(news).toMatchObject({ recoverable: true, positioned: true, recovered: true, offset: 1, epoch });
    expect(news?.publications.map(({ offset }) => offset)).toEqual([2, 3]);
    expect(connect?.subs.get('plain')).toMatchObject({ positioned: false, recovered: false, epoch: '' });
    await harness.publish('news', '4');
    expect((await client.push()).pub?.offset).toBe(4);
    expect((await client.request({ subscribe: { channel: 'news' } })).error?.code).toBe(105);
  });

  it('are added later with what was published since, in the order subscribe, missed, live', async () => {
    await start({ connect: () => ({ user: 'u' }) });
    for (let i = 1; i <= 3; i++) await harness.publish('news', String(i));
    const { epoch } = await harness.node.history('news', { limit: 0 });
    const client = await harness.connected({ encoding });
    await harness.node.subscribe({ user: 'u' }, 'news', { recovery: 'stream' }, { offset: 1, epoch });
    await harness.publish('news', '4');
    expect(await client.push()).toMatchObject({
      channel: 'news',
      subscribe: { recoverable: true, positioned: true, offset: 3, epoch },
    });
    for (const offset of [2, 3, 4]) expect((await client.push()).pub?.offset).toBe(offset);
    await expect(harness.node.subscribe({ user: 'u' }, 'news', {})).rejects.toMatchObject({ code: 105 });
  });

  it('are removed with an unsubscribe push, and by the client', async () => {
    await start(granting({ a: {}, b: {} }));
    const client = await harness.open({ encoding });
    await client.request({ connect: { token: 'u' } });
    await harness.node.unsubscribe({ user: 'u' }, 'a', { code: 2000, reason: 'server unsubscribe' });
    expect(await client.push()).toMatchObject({ channel: 'a', unsubscribe: { code: 2000 } });
    expect((await client.request({ unsubscribe: { channel: 'b' } })).unsubscribe).not.toBeNull();
    expect(harness.node.stats().subscriptions).toBe(0);
  });

  it('end the connection when they expire (3006)', async () => {
    await start({});
    const at = harness.clock.now() + 2000;
    const client = await harness.connected({ encoding });
    await harness.node.subscribe({ allUsers: true }, 'a', { expiry: { at, clientRefresh: true } });
    expect((await client.push()).subscribe).not.toBeNull();
    for (let t = 0; t < 27_400; t += 1000) {
      await harness.clock.advance(1000);
      if (client.received.some(({ push, id }) => push === null && id === 0)) {
        await client.ping();
        client.pong();
        await client.request({ unsubscribe: { channel: 'none' } });
      }
    }
    expect(await client.closed()).toEqual({ code: 3006, reason: 'subscription expired' });
  });
});

describe('server-side subscriptions', () => {
  it('more than the limit are refused with 3505, at connect and later', async () => {
    await start(granting({ a: {}, b: {}, c: {} }), { channelsPerClient: 2 });
    const client = await harness.open();
    client.send({ connect: {} });
    expect(await client.closed()).toEqual({ code: 3505, reason: 'channel limit' });
    await harness.stop();
    await start({}, { channelsPerClient: 1 });
    const other = await harness.connected();
    await harness.node.subscribe({ allUsers: true }, 'a', {});
    await harness.node.subscribe({ allUsers: true }, 'b', {});
    expect(await other.closed()).toEqual({ code: 3505, reason: 'channel limit' });
  });

  it('that fail at connect fail the connect and leave nothing behind', async () => {
    const presence = new MemoryPresence();
    presence.add = () => Promise.reject(new Error('backend gone'));
    harness = await Harness.start({
      presence,
      policy: { ...OPEN_POLICY, ...granting({ a: { recovery: 'stream' }, b: { emitPresence: true } }) },
    });
    const client = await harness.open();
    client.send({ connect: {} });
    expect((await client.closed()).code).toBe(3004);
    await eventually('nothing is left', () => harness.node.stats().subscriptions === 0);
  });
});

describe('operations on live connections', () => {
  const named: Partial<Policy> = { connect: ({ token }) => ({ user: token }) };

  async function connected(token: string) {
    const client = await harness.open();
    const { connect } = await client.request({ connect: { token } });
    await client.request({ subscribe: { channel: 'room' } });
    return { client, id: connect?.client ?? '' };
  }

  it('reach a user, one of its connections, the anonymous user, or everybody', async () => {
    await start(named);
    const [a1, a2, b, anonymous] = await Promise.all(['a', 'a', 'b', ''].map(connected));
    const end = { code: 2000, reason: 'server unsubscribe' };
    await harness.node.unsubscribe({ user: 'a', client: a1?.id ?? '' }, 'room', end);
    expect((await a1?.client.push())?.unsubscribe?.code).toBe(2000);
    expect(harness.node.subscriberCount('room')).toBe(3);
    await harness.node.unsubscribe({ user: '' }, 'room', end);
    expect((await anonymous?.client.push())?.unsubscribe?.code).toBe(2000);
    await harness.node.disconnect({ user: 'a' }, new Disconnect(3503, 'force disconnect'), [a1?.id ?? '']);
    expect((await a2?.client.closed())?.code).toBe(3503);
    expect(harness.node.stats().connections).toBe(3);
    await harness.node.unsubscribeAll('room', end);
    expect((await b?.client.push())?.unsubscribe?.code).toBe(2000);
    await harness.node.disconnect({ allUsers: true }, { code: 4001, reason: 'maintenance' });
    for (const one of [a1, b, anonymous]) expect((await one?.client.closed())?.code).toBe(4001);
  });

  it('give a connection a new expiry', async () => {
    await start(named);
    const { client } = await connected('a');
    await harness.node.refresh({ user: 'a' }, { at: harness.clock.now() + 1000, clientRefresh: false });
    await harness.clock.advance(1200);
    expect(await client.closed()).toEqual({ code: 3005, reason: 'connection expired' });
  });

  it('unsubscribe a subscribe that is under way right after its reply', async () => {
    let proceed: () => void = () => {};
    const waiting = new Promise<void>(resolve => {
      proceed = resolve;
    });
    let asked = false;
    await start({
      ...named,
      subscribe: async () => {
        asked = true;
        await waiting;
        return { recovery: 'stream' };
      },
    });
    const client = await harness.open();
    await client.request({ connect: { token: 'a' } });
    client.send({ subscribe: { channel: 'room' } });
    await eventually('the policy is asked', () => asked);
    await harness.node.unsubscribe({ allUsers: true }, 'room', { code: 2000, reason: 'server unsubscribe' });
    client.send({ history: { channel: 'room' } });
    proceed();
    expect((await client.take(() => true)).subscribe).not.toBeNull();
    expect((await client.push()).unsubscribe?.code).toBe(2000);
    expect(harness.node.stats().subscriptions).toBe(0);
  });

  it('refuse a subscribe whose channel went away while it was under way', async () => {
    let gone = false;
    await start({
      ...named,
      subscribe: async () => {
        gone = true;
        return { recovery: 'stream' };
      },
      subscribed: () => (gone ? { code: 102, message: 'unknown channel' } : undefined),
    });
    const client = await harness.open();
    await client.request({ connect: { token: 'a' } });
    expect((await client.request({ subscribe: { channel: 'room' } })).error?.code).toBe(102);
    expect(harness.node.stats().subscriptions).toBe(0);
  });

  it('survey the nodes', async () => {
    harness = await Harness.start({
      survey: async (operation, data) => ({ code: operation === 'echo' ? 0 : 1, data }),
    });
    const answers = await harness.node.survey('echo', Buffer.from('x'));
    // A thread has main beside it.
    const { id } = harness.node;
    const ids = threadsOfRun() === null ? [id] : [id, id.replace(/\/.*/, '')];
    expect([...answers.keys()].sort()).toEqual([...ids].sort());
    expect([...harness.node.nodes()].sort()).toEqual([...ids].sort());
    expect((await harness.node.survey('echo', Buffer.from('x'), 'other')).size).toBe(0);
  });

  it('reject as the policy does for in-process connections', async () => {
    await start({
      connect: () => {
        throw new ReplyError(103, 'no');
      },
    });
    await expect(harness.node.connect({ onPush: () => {} })).rejects.toMatchObject({ code: 103 });
    await harness.clock.advance(100);
    expect(harness.node.stats().connections).toBe(0);
  });
});
