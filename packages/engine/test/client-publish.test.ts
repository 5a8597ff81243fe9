import { type Policy, RealtimeNode, ReplyError } from '@msg/engine';
import { ManualClock } from '@msg/foundation/clock/testing';
import { countPromises, DirectClient } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { Harness, OPEN_POLICY } from './harness.ts';

const DATA = Buffer.from('{"n":1}');

describe('the publish of a client', () => {
  let harness: Harness;
  afterEach(() => harness.stop());

  const publishWith = async (publish: NonNullable<Policy['publish']>) => {
    harness = await Harness.start({ policy: { ...OPEN_POLICY, publish } });
    const client = await harness.connected();
    return (channel: string) => client.request({ publish: { channel, data: DATA } });
  };

  it('is run by the policy: around it, before it and after it', async () => {
    const seen: unknown[] = [];
    const publish = await publishWith(async (client, event, forward) => {
      seen.push(`${event.channel} ${Buffer.from(event.data)} ${event.payload.kind}`);
      if (event.channel === 'closed') throw new ReplyError(103, 'permission denied');
      expect(event.info.client).toBe(client.id);
      const { offset } = await forward(event, {});
      seen.push(offset);
    });
    expect((await publish('news')).error).toBeNull();
    expect((await publish('closed')).error).toMatchObject({ code: 103 });
    expect(seen).toEqual(['news {"n":1} json', 1, 'closed {"n":1} json']);
    expect((await harness.node.history('news', { limit: -1 })).publications).toHaveLength(1);
    expect((await harness.node.history('closed', { limit: -1 })).publications).toHaveLength(0);
  });

  it('names the client, unless the options of the policy name another', async () => {
    const other = { user: 'ann', client: 'c', connInfo: null, chanInfo: null };
    const publish = await publishWith((_client, event, forward) =>
      forward(event, event.channel === 'other' ? { info: other } : {}),
    );
    const infoIn = async (channel: string) => {
      await publish(channel);
      return (await harness.node.history(channel, { limit: -1 })).publications[0]?.info;
    };
    expect(await infoIn('other')).toMatchObject(other);
    expect(await infoIn('news')).toMatchObject({ user: '', client: expect.stringMatching(/^[\da-f-]{36}$/) });
  });

  it('that fails in the policy is error 100, and reported', async () => {
    const failure = new Error('database gone');
    const publish = await publishWith(() => {
      throw failure;
    });
    expect((await publish('news')).error).toMatchObject({ code: 100, temporary: true });
    expect(harness.errors).toEqual([failure]);
  });
});

it('the publish of a client makes no promise with a broker in this process', async () => {
  const node = new RealtimeNode({ policy: OPEN_POLICY, clock: new ManualClock() });
  await node.start();
  const client = new DirectClient(node);
  client.send({ connect: {} });
  await new Promise(resolve => setImmediate(resolve));
  const publish = () => client.send({ publish: { channel: 'news', data: DATA } });
  expect(
    countPromises(() => {
      for (let n = 0; n < 50; n++) publish();
    }),
  ).toBe(0);
  expect(countPromises(() => void Promise.resolve())).toBe(1);
  expect((await node.history('news', { limit: -1 })).publications).toHaveLength(50);
  await node.shutdown({ graceMs: 0 });
});
