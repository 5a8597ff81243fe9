import { type Disconnect, ReplyError } from '@msg/engine';
import type { Push } from '@msg/protocol';
import { eventually } from '@msg/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Harness, OPEN_POLICY } from '../harness.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await Harness.start({
    policy: {
      ...OPEN_POLICY,
      connect: ({ token, client }) => ({ user: `${client.transport.name}:${token}` }),
      subscribe: (_client, { channel }) => {
        if (channel === 'closed') throw new ReplyError(102, 'unknown channel');
        return { recovery: 'stream' };
      },
    },
  });
});
afterEach(() => harness.stop());

async function connect() {
  const pushes: Push[] = [];
  const ends: Disconnect[] = [];
  const connection = await harness.node.connect({
    token: 't',
    onPush: push => pushes.push(push),
    onClosed: end => ends.push(end),
  });
  return { connection, pushes, ends };
}

describe('an in-process connection', () => {
  it('subscribes, recovers and receives payloads as they were published', async () => {
    const { connection, pushes } = await connect();
    expect([...harness.node.clients()].map(({ user }) => user)).toEqual(['in_process:t']);
    await harness.publish('news', '1');
    const { epoch } = await harness.node.history('news', { limit: 0 });
    const result = await connection.subscribe('news', { recover: true, offset: 0, epoch });
    expect(result.publications.map(({ offset }) => offset)).toEqual([1]);
    await harness.node.publish('news', Buffer.from([0xff, 0x00]));
    await eventually('it arrived', () => pushes.length === 1);
    expect(pushes[0]?.pub).toMatchObject({ offset: 2 });
    expect(pushes[0]?.pub?.data.bytes).toEqual(new Uint8Array([0xff, 0x00]));
    expect(harness.node.subscriberCount('news')).toBe(1);
    await connection.unsubscribe('news');
    expect(harness.node.subscriberCount('news')).toBe(0);
    connection.disconnect();
  });

  it('learns of refusals and of the end', async () => {
    const { connection, ends } = await connect();
    await expect(connection.subscribe('closed')).rejects.toMatchObject({ code: 102 });
    await harness.node.disconnect({ allUsers: true }, { code: 3503, reason: 'force disconnect' });
    await eventually('the end is known', () => ends.length === 1);
    expect(ends[0]).toMatchObject({ code: 3503, reason: 'force disconnect' });
    await expect(connection.subscribe('news')).rejects.toMatchObject({ code: 3000 });
  });

  it('takes messages larger than one piece', async () => {
    const { connection, pushes } = await connect();
    await connection.subscribe('news');
    await harness.node.publish('news', Buffer.alloc(300_000, 1));
    await eventually('it arrived', () => pushes.length === 1);
    expect(pushes[0]?.pub?.data.bytes.length).toBe(300_000);
    connection.disconnect();
  });

  it('waits while its consumer pauses, in order, and is cut with 3008 when that gets too much', async () => {
    const { connection, pushes, ends } = await connect();
    await connection.subscribe('news');
    connection.pausePushes();
    for (let i = 0; i < 5; i++) await harness.publish('news', String(i));
    await new Promise(resolve => setImmediate(resolve));
    expect(pushes).toEqual([]);
    connection.resumePushes();
    await eventually('all arrived', () => pushes.length === 5);
    expect(pushes.map(({ pub }) => pub?.offset)).toEqual([1, 2, 3, 4, 5]);
    connection.pausePushes();
    for (let i = 0; i < 50; i++) {
      await harness.node.publish('news', Buffer.alloc(40_000));
      await new Promise(resolve => setImmediate(resolve));
    }
    await eventually('it was cut', () => ends.length === 1);
    expect(ends[0]?.code).toBe(3008);
  });

  it('lives through hours without pings', async () => {
    const { connection, ends } = await connect();
    for (let i = 0; i < 20; i++) await harness.clock.advance(60_000);
    expect(ends).toEqual([]);
    connection.disconnect();
    await eventually('the end is known', () => ends.length === 1);
  });
});
