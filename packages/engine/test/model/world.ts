import { MemoryBroker, type Policy, RealtimeNode, TimerWheel } from '@msg/engine';
import { FaultyBroker } from '@msg/engine/testing';
import { ManualClock } from '@msg/foundation/clock/testing';
import { ModelClient } from './client.ts';
import type { FollowedChannel } from './follower.ts';
import { ChannelLog } from './log.ts';
import { OPEN_FINDINGS } from './open-findings.ts';
import { Prng, seededRandom } from './prng.ts';
import { RecordingBroker } from './recording-broker.ts';
import type { ChannelSetup, Scenario } from './scenario.ts';
import { STOPPED_CLOCK } from './stopped-clock.ts';
import { Weather } from './weather.ts';

/** Short times, so that a run need not move the clock far. */
const LIMITS = {
  presenceMs: 200,
  positionCheckMs: 300,
  positionRecheckMs: 100,
  pingMs: 0,
  writeStallMs: 400,
  queueBytes: 2500,
  backlogBytes: 300,
};
/** Long enough for any loss to be noticed by a position check: quiet time, tick, second look, and rounding. */
const CHECK_MS = 1100;

/**
 * Where the brokers of all runs leave their timers. It never fires: a broker that is read after the time forgets
 * by itself, and a wheel for each run would be half the cost of it.
 */
const BROKER_WHEEL = new TimerWheel(STOPPED_CLOCK);

/** Lets everything that waits for nothing but its turn go on. */
export function turn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}

/** One node with its broker, its clients, and the model of what they should see. */
export class World {
  readonly node: RealtimeNode;
  readonly clock = new ManualClock();
  readonly channels: readonly FollowedChannel[];
  readonly clients: readonly ModelClient[];
  /** The first thing that went wrong, or null. */
  violation: string | null = null;
  readonly #setups: ReadonlyMap<string, ChannelSetup>;
  readonly #recording: RecordingBroker;

  constructor(scenario: Scenario) {
    const random = seededRandom(new Prng(~scenario.seed));
    const setups = scenario.channels.map((setup, i) => [`channel${i}`, setup] as const);
    this.#setups = new Map(setups);
    const memory = new MemoryBroker({ clock: this.clock, random, wheel: BROKER_WHEEL });
    this.#recording = new RecordingBroker(memory, {
      now: () => this.clock.now(),
      log: name => this.#channel(name).log,
      violation: this.report,
    });
    const broker = new FaultyBroker(this.#recording);
    const { recoveryItems } = scenario;
    this.channels = setups.map(([name, { size, ttlMs, delta, compaction, presence, joinLeave }]) => ({
      name,
      log: new ChannelLog({ size, ttlMs, recoveryItems }),
      weather: new Weather(broker, name),
      delta,
      compaction,
      announced: presence || joinLeave,
      now: () => this.clock.now(),
    }));
    this.node = new RealtimeNode({
      policy: this.#policy(),
      clock: this.clock,
      random,
      broker,
      limits: { ...LIMITS, recoveryItems },
      onError: error => {
        if (!(error instanceof Error && error.message === 'broker failed')) this.report(`error: ${error}`);
      },
    });
    this.clients = scenario.clients.map(
      (kind, i) => new ModelClient(this.node, `client${i}`, kind, this.channels, this.report),
    );
  }

  readonly report = (text: string): void => {
    this.violation ??= text;
  };

  /** Moves time; what expires on the way changes what can be recovered. */
  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms);
    for (const client of this.clients) client.observe();
  }

  /** Ends all faults, lets clients come back, and proves that nobody missed anything. */
  async calm(): Promise<void> {
    for (const { weather } of this.channels) weather.clear();
    for (const client of this.clients) client.readAgain();
    for (let i = 0; i < 3; i++) await this.#settle();
    for (let left = CHECK_MS; left > 0; left -= 275) {
      await this.advance(275);
      await this.#settle();
    }
    for (let i = 0; i < 3; i++) await this.#settle();
    for (const client of this.clients) client.checkComplete();
    await this.#checkCounts();
  }

  /** Everybody leaves, whatever is under way. */
  async goodbye(): Promise<void> {
    for (const client of this.clients) client.hangUp();
    for (const { weather } of this.channels) weather.clear();
    for (let i = 0; i < 4; i++) await turn();
    await this.#checkCounts();
    const { connections, subscriptions, channels, timers, sharedReplyBytes } = this.node.stats();
    if (connections + subscriptions + channels + timers + sharedReplyBytes > 0) {
      this.report(
        `left behind: ${connections} connections, ${subscriptions} subscriptions, ${channels} channels, ` +
          `${timers} timers, ${sharedReplyBytes} bytes of replies`,
      );
    }
    if (this.#recording.subscribed.size > 0) this.report('the node is still subscribed at its broker');
  }

  /** The node stops, and its connections with it. */
  async shutdown(): Promise<void> {
    for (const client of this.clients) client.endedByServer(3001);
    let stopped = false;
    void this.node.shutdown().then(() => {
      stopped = true;
    });
    for (let i = 0; i < 6; i++) await turn();
    if (!stopped) this.report('the shutdown does not end');
    if (this.clients.some(client => client.connected)) this.report('a connection outlived the shutdown');
    if (BROKER_WHEEL.size > 0) this.report(`${BROKER_WHEEL.size} timers of the broker outlived it`);
    const tolerated = OPEN_FINDINGS.secondLookOutlivesShutdown ? this.channels.length : 0;
    if (this.clock.pending > tolerated) this.report(`${this.clock.pending} timers outlived the shutdown`);
  }

  async #settle(): Promise<void> {
    await turn();
    for (const client of this.clients) {
      if (!client.connected && client.wantsAnything) client.connect();
      client.react();
    }
    await turn();
  }

  /** Hub and presence know exactly those whom the model knows. */
  async #checkCounts(): Promise<void> {
    for (const { name } of this.channels) {
      const live = this.clients.filter(client =>
        client.followers.some(f => f.live && f.channel.name === name),
      );
      const counted = this.node.subscriberCount(name);
      if (counted !== live.length) this.report(`${name}: ${counted} subscribers instead of ${live.length}`);
      if (this.#setups.get(name)?.presence !== true) continue;
      const { clients } = await this.node.presence.counts(name);
      if (clients !== live.length) this.report(`${name}: ${clients} present instead of ${live.length}`);
    }
  }

  #policy(): Policy {
    const setup = (name: string): ChannelSetup => this.#setups.get(name) as ChannelSetup;
    return {
      connect: ({ token }) => ({ user: token }),
      subscribe: (_client, { channel, joinLeave: wished }) => {
        const { delta, compaction, presence, joinLeave } = setup(channel);
        return {
          recovery: 'stream',
          delta,
          compaction,
          emitPresence: presence,
          emitJoinLeave: joinLeave,
          pushJoinLeave: joinLeave && wished,
        };
      },
      publish: (_client, event, forward) => forward(event, { delta: true }),
      streamOptions: channel => setup(channel),
    };
  }

  #channel(name: string): FollowedChannel {
    return this.channels.find(channel => channel.name === name) as FollowedChannel;
  }
}
