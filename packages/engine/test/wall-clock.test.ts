import type { Policy } from '@msg/engine';
import { systemRandom } from '@msg/foundation/clock';
import { eventually } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { Harness, OPEN_POLICY } from './harness.ts';

const HOUR = 3_600_000;

let harness: Harness;
afterEach(() => harness.stop());

async function start(policy: Partial<Policy> = {}, limits = {}): Promise<void> {
  harness = await Harness.start({ policy: { ...OPEN_POLICY, ...policy }, limits });
}

const soon = (ms: number, clientRefresh = true) => ({ at: harness.clock.now() + ms, clientRefresh });

describe.each([
  ['back', -HOUR],
  ['forward', HOUR],
])('with the wall clock set %s by an hour', (_direction, jump) => {
  it('connections are pinged, and silent ones end', async () => {
    const random = { ...systemRandom, fraction: () => 1 }; // the first ping comes after a whole interval
    harness = await Harness.start({ random, limits: { pingMs: 25_000, pongMs: 8000 } });
    const client = await harness.connected();
    const silent = await harness.connected();
    harness.clock.jump(jump);
    for (let round = 0; round < 3; round++) {
      await harness.clock.advance(25_100);
      await client.ping();
      client.pong();
      // Its reply comes after the pong was read.
      await client.request({ publish: { channel: 'a', data: Buffer.from('1') } });
    }
    expect((await silent.closed()).code).toBe(3012);
    expect(harness.node.stats().connections).toBe(1);
  });

  it('a socket without connect ends after the usual time', async () => {
    await start({}, { staleMs: 15_000 });
    const client = await harness.open();
    harness.clock.jump(jump);
    await harness.clock.advance(14_000);
    expect(harness.node.stats().connections).toBe(1);
    await harness.clock.advance(1200);
    expect((await client.closed()).code).toBe(3502);
  });

  it('positions of quiet channels are compared with the stream', async () => {
    await start({ subscribe: () => ({ recovery: 'stream' }) }, { positionCheckMs: 40_000, pingMs: 0 });
    const client = await harness.connected();
    await client.request({ subscribe: { channel: 'a' } });
    await harness.node.publish('a', Buffer.from('1'));
    await client.take(({ push }) => push?.pub != null);
    harness.clock.jump(jump);
    // The stream is lost without a trace: the next check finds it.
    await harness.node.removeStream('a');
    await eventually('the loss is noticed', async () => {
      await harness.clock.advance(10_000);
      return client.received.some(({ push }) => push?.unsubscribe?.code === 2500);
    });
  });
});

describe('credentials end', () => {
  it('by the time that has passed, when the wall clock is set forward', async () => {
    await start(
      { connect: () => ({ user: 'u', expiry: soon(60_000) }) },
      { expiryGraceMs: 25_000, pingMs: 0 },
    );
    const client = await harness.connected();
    harness.clock.jump(HOUR);
    await harness.clock.advance(84_000);
    expect(harness.node.stats().connections).toBe(1);
    await harness.clock.advance(1200);
    expect((await client.closed()).code).toBe(3005);
  });

  it('when the wall clock says so, when it was set back', async () => {
    await start(
      { connect: () => ({ user: 'u', expiry: soon(60_000) }) },
      { expiryGraceMs: 25_000, pingMs: 0 },
    );
    const client = await harness.connected();
    harness.clock.jump(-HOUR);
    await harness.clock.advance(86_000);
    expect(harness.node.stats().connections).toBe(1);
    await harness.clock.advance(HOUR);
    expect((await client.closed()).code).toBe(3005);
  });

  it('of a subscription too, and those that the server keeps are asked about', async () => {
    const asked: string[] = [];
    await start(
      {
        subscribe: (_client, { channel }) => ({ expiry: soon(60_000, channel !== 'kept') }),
        subRefresh: (_client, { channel }) => {
          asked.push(channel);
          return { expiry: soon(60_000, false) };
        },
      },
      { expiryGraceMs: 25_000, pingMs: 0 },
    );
    const client = await harness.connected();
    await client.request({ subscribe: { channel: 'own' } });
    await client.request({ subscribe: { channel: 'kept' } });
    harness.clock.jump(HOUR);
    await harness.clock.advance(59_000);
    expect(asked).toEqual([]);
    await harness.clock.advance(1200);
    expect(asked).toEqual(['kept']);
    await harness.clock.advance(25_000);
    await client.take(({ push }) => push?.channel === 'own' && push.unsubscribe?.code === 2501);
  });
});
