import { type Broker, MemoryBroker, TimerWheel } from '@msg/engine';
import { FaultyBroker } from '@msg/engine/testing';
import { type Clock, type Random, systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import type { RawClient } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '#src/limits.ts';
import { Harness } from './harness.ts';

/** Nobody answers pings here. */
const LIMITS = { ...DEFAULT_LIMITS, pingMs: 0 };
/** Longer than a check takes with the tick before it. */
const CHECK_MS = LIMITS.presenceMs + LIMITS.positionRecheckMs + 1000;

/** Bytes that are the same in each run, and others with each call. */
function counted(): Random {
  let calls = 0;
  return { ...systemRandom, bytes: length => Buffer.alloc(length, ++calls) };
}

function parts(clock: Clock) {
  return { clock, random: counted(), wheel: new TimerWheel(clock) };
}

/** A broker with a replica, which has the same epochs and takes over with what it has got. */
class ReplicatedBroker extends MemoryBroker {
  readonly #replica: MemoryBroker;
  /** Whether publications reach the replica. */
  replicates = true;
  #isReplaced = false;

  constructor(clock: Clock) {
    super(parts(clock));
    this.#replica = new MemoryBroker(parts(clock));
  }

  failOver(): void {
    this.#isReplaced = true;
  }

  override async start(events: Parameters<Broker['start']>[0]): Promise<void> {
    await super.start(events);
    await this.#replica.start({
      ...events,
      publication: (...message) => {
        if (this.#isReplaced) events.publication(...message);
      },
    });
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.#replica.stop();
  }

  override publish(...args: Parameters<Broker['publish']>): ReturnType<Broker['publish']> {
    if (this.#isReplaced) return this.#replica.publish(...args);
    if (this.replicates) void this.#replica.publish(...args);
    return super.publish(...args);
  }

  override history(...args: Parameters<Broker['history']>): ReturnType<Broker['history']> {
    return this.#isReplaced ? this.#replica.history(...args) : super.history(...args);
  }

  override renewEpoch(channel: string, seen: string): Promise<void> {
    return this.#isReplaced ? this.#replica.renewEpoch(channel, seen) : super.renewEpoch(channel, seen);
  }
}

describe('a check that finds a stream behind a subscriber', () => {
  let harness: Harness;
  let store: ReplicatedBroker;
  let faults: FaultyBroker;
  let ahead: RawClient;
  let away: RawClient;
  let atTop: RawClient;
  let epoch: string;

  /** Two clients have heard 3, which the replica has not; one comes when that has taken over, one has left by then. */
  async function failOver(): Promise<void> {
    store = new ReplicatedBroker(new ManualClock());
    faults = new FaultyBroker(store);
    harness = await Harness.start({ broker: faults, limits: LIMITS });
    ahead = await harness.connected();
    away = await harness.connected();
    for (const client of [ahead, away]) await subscribed(client);
    for (const n of [1, 2, 3]) {
      store.replicates = n < 3;
      await harness.publish('news', String(n));
      for (const client of [ahead, away]) expect((await client.push()).pub?.offset).toBe(n);
    }
    away.websocket.terminate();
    const before = await top();
    store.failOver();
    const after = await top();
    expect([before.offset, after.offset]).toEqual([3, 2]);
    expect(after.epoch).toBe(before.epoch);
    epoch = before.epoch;
    atTop = await harness.connected();
    expect(await subscribed(atTop)).toMatchObject({ offset: 2, epoch });
  }

  afterEach(() => harness.stop());

  const top = () => harness.node.history('news', { limit: 0 });

  async function subscribed(client: RawClient, position = {}) {
    return (await client.request({ subscribe: { channel: 'news', ...position } })).subscribe;
  }

  /** The tick after the quiet time of the channel, and the second look. */
  async function firstCheck(): Promise<void> {
    await harness.clock.advance(LIMITS.positionCheckMs);
    await harness.clock.advance(CHECK_MS);
    expect((await ahead.push()).unsubscribe?.code).toBe(2500);
  }

  it('gives it a new epoch, which the next check tells those that stood at its top', async () => {
    await failOver();
    await firstCheck();
    const renewed = await top();
    expect(renewed.offset).toBe(2);
    expect(renewed.epoch).not.toBe(epoch);
    await harness.clock.advance(CHECK_MS);
    expect((await atTop.push()).unsubscribe?.code).toBe(2500);
    const again = { recovered: false, wasRecovering: true, offset: 2, epoch: renewed.epoch };
    expect(await subscribed(atTop, { recover: true, offset: 2, epoch })).toMatchObject(again);
    // It happens once: nobody is told again.
    await harness.clock.advance(LIMITS.positionCheckMs + CHECK_MS);
    expect((await top()).epoch).toBe(renewed.epoch);
    await harness.publish('news', '"other 3"');
    expect((await atTop.push()).pub?.offset).toBe(3);
  });

  it('lets the next publication tell them, and nobody recovers over the loss', async () => {
    await failOver();
    await firstCheck();
    await harness.publish('news', '"other 3"');
    expect((await atTop.push()).unsubscribe?.code).toBe(2500);
    const back = await harness.connected();
    const position = { recover: true, offset: 3, epoch };
    expect(await subscribed(back, position)).toMatchObject({ recovered: false, offset: 3 });
  });

  it('ends the subscriptions also when the renewal fails, and reports that', async () => {
    await failOver();
    const failure = new Error('the store is away');
    const renewals = faults.fail('renewEpoch', {}, failure);
    await firstCheck();
    expect(renewals.hits).toBe(1);
    expect(harness.errors).toEqual([failure]);
    expect((await top()).epoch).toBe(epoch);
  });
});
