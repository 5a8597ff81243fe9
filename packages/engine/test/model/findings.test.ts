import { MemoryBroker, type Policy, RealtimeNode, TimerWheel } from '@msg/engine';
import { FaultyBroker } from '@msg/engine/testing';
import { type Random, systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPEN_FINDINGS } from './open-findings.ts';
import { play } from './run.ts';
import type { Breath, ChannelSetup, Operation, Scenario } from './scenario.ts';
import { turn } from './world.ts';

// What the model has found, each as the shortest way to it. Those that fail are open.

const tolerated = { ...OPEN_FINDINGS };
beforeAll(() =>
  Object.assign(OPEN_FINDINGS, { lateUnsubscribePush: false, secondLookOutlivesShutdown: false }),
);
afterAll(() => Object.assign(OPEN_FINDINGS, tolerated));

const TURN: Breath = { microtasks: 0, turns: 1 };
const NO_TIME: Breath = { microtasks: 0, turns: 0 };
const CHANNEL: ChannelSetup = {
  size: 100,
  ttlMs: 300_000,
  delta: false,
  compaction: false,
  presence: false,
  joinLeave: false,
};

const SUBSCRIBE = {
  do: 'subscribe',
  client: 0,
  start: { at: 'now' },
  delta: false,
  compaction: false,
  rejectUnrecovered: false,
} as const;
const DELAY = { do: 'delay', times: 1 } as const;
const PUBLISH: Operation = { do: 'publish', channel: 0, by: -1, body: 'unlike', delta: false };
const CONNECT: Operation = { do: 'connect', client: 0 };
const HANG_UP: Operation = { do: 'hang-up', client: 0 };
const OPEN_GATE: Operation = { do: 'open-gate', channel: 0, choice: 0 };

/** Plays steps with a turn after each, or with what is given. Answers what went wrong, or null. */
async function playSteps(
  steps: readonly (Operation | readonly [Operation, Breath])[],
  setup: Partial<Scenario> = {},
): Promise<string | null> {
  const { violation } = await play({
    seed: 1,
    channels: [CHANNEL],
    clients: ['json'],
    recoveryItems: 0,
    ending: 'calm, then goodbye',
    ...setup,
    steps: steps.map(step => {
      const [operation, breath] = 'do' in step ? [step, TURN] : step;
      return { operation, breath };
    }),
  });
  return violation;
}

describe('found by the model', () => {
  it('takes back the presence entry of a connection that closes at any moment of its subscribe', async () => {
    const channels = [{ ...CHANNEL, presence: true }];
    const subscribe: Operation = { ...SUBSCRIBE, channel: 0 };
    for (let microtasks = 0; microtasks < 20; microtasks++) {
      const steps = [CONNECT, [subscribe, { microtasks, turns: 0 }], HANG_UP] as const;
      expect(await playSteps(steps, { channels, ending: 'goodbye amid the storm' })).toBeNull();
    }
  });

  it('feeds a subscriber that comes while the node still leaves the channel', async () => {
    for (let microtasks = 0; microtasks < 20; microtasks++) {
      const left: Operation[] = [
        CONNECT,
        { do: 'connect', client: 1 },
        { ...DELAY, channel: 0, operation: 'subscribe', moment: 'before' },
        { ...SUBSCRIBE, channel: 0 },
        HANG_UP,
      ];
      const comes: Operation[] = [{ ...SUBSCRIBE, client: 1, channel: 0 }, PUBLISH];
      const steps = [...left, [OPEN_GATE, { microtasks, turns: 0 }], ...comes] as const;
      expect(await playSteps(steps, { clients: ['json', 'json'] })).toBeNull();
    }
  });

  it('sends nothing of a channel after the reply to an unsubscribe', async () => {
    const violation = await playSteps(
      [
        CONNECT,
        { ...SUBSCRIBE, channel: 0 },
        [{ do: 'server-unsubscribe', client: 0, channel: 0, code: 2600 }, NO_TIME],
        { do: 'unsubscribe', client: 0, channel: 0 },
      ],
      { channels: [{ ...CHANNEL, presence: true }] },
    );
    expect(violation).toBeNull();
  });

  it('leaves no timer of a position check behind when the node stops', async () => {
    for (let ms = 100; ms <= 400; ms += 25) {
      const loss = [
        CONNECT,
        { ...SUBSCRIBE, channel: 0 },
        { do: 'drop', channel: 0, times: 1 },
        PUBLISH,
      ] as const;
      const steps = [...loss, { do: 'advance', ms }] as const;
      expect(await playSteps(steps, { ending: 'goodbye amid the storm' })).toBeNull();
    }
  });

  it('does not interrupt a subscriber that has everything when reads are slow', async () => {
    const slowRead: Operation = { ...DELAY, channel: 0, operation: 'history', moment: 'after' };
    const violation = await playSteps([
      CONNECT,
      { ...SUBSCRIBE, channel: 0 },
      slowRead,
      { do: 'advance', ms: 700 },
      PUBLISH,
      OPEN_GATE,
      slowRead,
      { do: 'advance', ms: 250 },
      PUBLISH,
      OPEN_GATE,
    ]);
    expect(violation).toBeNull();
  });
});

/** A node of its own, whose clients the test watches itself. */
async function startNode(random: Random) {
  const clock = new ManualClock();
  const wheel = new TimerWheel(clock);
  const broker = new FaultyBroker(new MemoryBroker({ clock, random, wheel }));
  const policy: Policy = {
    connect: () => ({ user: '' }),
    subscribe: () => ({ recovery: 'stream' }),
    streamOptions: () => CHANNEL,
  };
  const node = new RealtimeNode({ policy, clock, broker });
  await node.start();
  return { node, broker, clock };
}

describe('found on the way', () => {
  it('notices that the top of a stream went back, however busy the channel is', async () => {
    // Without chance in it, a stream that starts anew has the epoch of the one before: a fail-over that lost the
    // last writes (client protocol 16.8).
    const random = { ...systemRandom, bytes: (length: number) => new Uint8Array(length) };
    const { node, broker, clock } = await startNode(random);
    const endings: (number | undefined)[] = [];
    const connection = await node.connect({ onPush: ({ unsubscribe }) => endings.push(unsubscribe?.code) });
    for (let i = 0; i < 30; i++) await node.publish('news', Buffer.from('before'));
    await connection.subscribe('news');
    await broker.changeEpoch('news');
    for (let i = 0; i < 20; i++) {
      await node.publish('news', Buffer.from('after'));
      await clock.advance(10_000);
    }
    expect(endings).toEqual([2500]);
  });

  it('answers an in-process subscribe before it hands on what follows the answer', async () => {
    const { node, broker } = await startNode(systemRandom);
    const order: string[] = [];
    const connection = await node.connect({ onPush: ({ pub }) => order.push(`publication ${pub?.offset}`) });
    const gate = broker.delay('history', { moment: 'after' });
    const subscribed = connection.subscribe('news').then(() => order.push('subscribed'));
    await turn();
    await node.publish('news', Buffer.from('meanwhile'));
    gate.open();
    await subscribed;
    await turn();
    expect(order).toEqual(['subscribed', 'publication 1']);
  });
});
