import { type Policy, ReplyError } from '@msg/engine';
import { eventually } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { Harness, OPEN_POLICY } from './harness.ts';

let harness: Harness;
/** Channels that exist. */
let open: Set<string>;
afterEach(() => harness.stop());

const NOT_OPEN = { code: 102, message: 'not open', temporary: true };

async function start(policy: Partial<Policy> = {}, limits = {}): Promise<void> {
  open = new Set();
  const subscribe: Policy['subscribe'] = (_client, { channel }) => {
    if (!open.has(channel)) throw new ReplyError(NOT_OPEN.code, NOT_OPEN.message, true);
    return { recovery: 'stream' };
  };
  harness = await Harness.start({ policy: { ...OPEN_POLICY, subscribe, ...policy }, limits });
}

const waiting = (): number => harness.node.stats().waitingSubscribes;

describe('a subscribe to a channel that does not exist yet', () => {
  it('is counted until the client retries and is subscribed', async () => {
    await start();
    const client = await harness.connected();
    expect((await client.request({ subscribe: { channel: 'a' } })).error).toEqual(NOT_OPEN);
    expect((await client.request({ subscribe: { channel: 'a' } })).error).toEqual(NOT_OPEN);
    expect(waiting()).toBe(1);
    open.add('a');
    expect((await client.request({ subscribe: { channel: 'a' } })).error).toBeFalsy();
    expect(waiting()).toBe(0);
  });

  it('is no longer counted after an unsubscribe, a permanent refusal, or the end of the connection', async () => {
    let refusal = new ReplyError(102, 'not open', true);
    await start({
      subscribe: () => {
        throw refusal;
      },
    });
    const client = await harness.connected();
    for (const channel of ['a', 'b', 'c']) await client.request({ subscribe: { channel } });
    expect(waiting()).toBe(3);
    await client.request({ unsubscribe: { channel: 'a' } });
    expect(waiting()).toBe(2);
    refusal = new ReplyError(102, 'deleted');
    await client.request({ subscribe: { channel: 'b' } });
    expect(waiting()).toBe(1);
    client.websocket.terminate();
    await eventually('the connection is freed', () => waiting() === 0);
  });

  it('is not counted for another temporary refusal', async () => {
    await start({
      subscribe: () => {
        throw new ReplyError(111, 'too many requests', true);
      },
    });
    const client = await harness.connected();
    await client.request({ subscribe: { channel: 'a' } });
    expect(waiting()).toBe(0);
  });

  it('counts towards the limit of subscriptions, each channel once', async () => {
    await start({}, { channelsPerClient: 2 });
    const client = await harness.connected();
    open.add('live');
    await client.request({ subscribe: { channel: 'live' } });
    await client.request({ subscribe: { channel: 'a' } });
    expect((await client.request({ subscribe: { channel: 'a' } })).error).toEqual(NOT_OPEN);
    expect((await client.request({ subscribe: { channel: 'b' } })).error?.code).toBe(106);
    open.add('a');
    expect((await client.request({ subscribe: { channel: 'a' } })).error).toBeFalsy();
  });

  it('is dropped when the client has not retried for a minute', async () => {
    await start({}, { channelsPerClient: 1, pingMs: 0 });
    const client = await harness.connected();
    await client.request({ subscribe: { channel: 'a' } });
    expect((await client.request({ subscribe: { channel: 'b' } })).error?.code).toBe(106);
    await harness.clock.advance(90_000);
    expect(waiting()).toBe(0);
    expect((await client.request({ subscribe: { channel: 'b' } })).error).toEqual(NOT_OPEN);
  });

  it('may be refused right before the reply, when the channel went away meanwhile', async () => {
    await start({ subscribed: () => NOT_OPEN });
    open.add('a');
    const client = await harness.connected();
    expect((await client.request({ subscribe: { channel: 'a' } })).error).toEqual(NOT_OPEN);
    expect(waiting()).toBe(1);
  });
});
