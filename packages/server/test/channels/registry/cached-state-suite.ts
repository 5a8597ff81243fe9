import { ManualClock } from '@msg/foundation/clock/testing';
import { Msg } from '@msg/server';
import { eventually } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { RedisChannelRegistry } from '#src/channels/registry/redis/registry.ts';
import { connectSharedStore, type SharedConnection } from '#src/stores/redis/connect.ts';
import type { SharedStore } from '#src/stores/redis/shared-store.ts';
import { storeWithClock } from '../../stores/redis/store-with-clock.ts';

/** A running store of any topology. */
interface StoreUnderTest {
  readonly address: string;
  stop(): Promise<void>;
}

/** How long a node may use a record that the store did not confirm: docs/clustering.md. */
export const BOUND_MS = 1000;
const DATA = new TextEncoder().encode('{}');
const T0 = 1_767_323_045_678;

/** A node of a service, which runs until the test is over. */
export async function startService(address: string, keyPrefix: string): Promise<Msg> {
  const msg = await Msg.create({ redis: { address, keyPrefix } });
  const controller = new AbortController();
  const ended = msg.run(controller.signal);
  await msg.ready();
  onTestFinished(async () => {
    controller.abort();
    await ended;
  });
  return msg;
}

/** Publishes until a publish is refused; the code, and when the last accepted one began. */
export async function publishUntilRefused(
  msg: Msg,
  channel: string,
): Promise<{ readonly code: string; readonly lastBegunAt: number }> {
  let lastBegunAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    const begunAt = performance.now();
    try {
      await msg.publish(channel, DATA);
    } catch (error) {
      return { code: String((error as { code?: unknown }).code), lastBegunAt };
    }
    lastBegunAt = begunAt;
  }
}

/** What holds for the channel states that nodes keep, on a store of any topology. */
export function cachedStateSuite(title: string, start: () => Promise<StoreUnderTest>): void {
  describe(`channel states that nodes keep: ${title}`, () => {
    let running: StoreUnderTest;
    let connection: SharedConnection;
    let serial = 0;

    beforeAll(async () => {
      running = await start();
      connection = await connectSharedStore({ address: running.address, keyPrefix: 'cached' });
    }, 120_000);
    afterAll(async () => {
      await connection.close();
      await running.stop();
    });

    const channel = () => `public:cached.c${serial++}`;
    const services = () =>
      Promise.all([startService(running.address, 'cached'), startService(running.address, 'cached')]);

    it('a close or deletion on a node is known to its next publish', async () => {
      const [here] = await services();
      const [closed, deleted] = [channel(), channel()];
      for (const name of [closed, deleted]) {
        await here.channels.openPublic(name);
        await here.publish(name, DATA);
      }
      await here.channels.closePublic(closed);
      await expect(here.publish(closed, DATA)).rejects.toMatchObject({ code: 'MSG_CHANNEL_CLOSED' });
      await here.channels.delete(deleted);
      await expect(here.publish(deleted, DATA)).rejects.toMatchObject({ code: 'MSG_CHANNEL_NOT_FOUND' });
    });

    it('a close or deletion on another node is known once its event arrives', async () => {
      const [here, there] = await services();
      const closed: string[] = [];
      const events = there.channels.events(100);
      void (async () => {
        for await (const { kind, name } of events) if (kind !== 'opened') closed.push(name);
      })();
      for (const end of ['closePublic', 'delete'] as const) {
        const name = channel();
        await here.channels.openPublic(name);
        await there.publish(name, DATA);
        await here.channels[end](name);
        await eventually('the event arrives', () => closed.includes(name));
        const code = end === 'delete' ? 'MSG_CHANNEL_NOT_FOUND' : 'MSG_CHANNEL_CLOSED';
        await expect(there.publish(name, DATA)).rejects.toMatchObject({ code });
      }
      events.cancel();
    });

    it('a channel that is opened again on either node is never refused, and publishes meanwhile do no harm', async () => {
      const [here, there] = await services();
      const name = channel();
      await here.channels.openPublic(name);
      let ended = false;
      const background = (async () => {
        while (!ended) await there.publish(name, DATA).catch(() => {});
      })();
      for (let round = 0; round < 40; round++) {
        const [closer, opener] = round % 2 === 0 ? [here, there] : [there, here];
        await closer.channels.closePublic(name);
        await opener.channels.openPublic(name);
        for (const msg of [opener, closer]) expect((await msg.publish(name, DATA)).offset).toBeGreaterThan(0);
      }
      ended = true;
      await background;
    });

    it('a publish that begins a second after a lost event is refused, on a channel that is busy', async () => {
      const [here] = await services();
      const name = channel();
      await here.channels.openPublic(name);
      const outcome = publishUntilRefused(here, name);
      const records = connection.store.key('channels');
      const closing = await closedRecord(connection.store, name);
      const askedAt = performance.now();
      await connection.store.call('HSET', records, name, closing);
      const closedAt = performance.now();
      const { code, lastBegunAt } = await outcome;
      expect(code).toBe('MSG_CHANNEL_CLOSED');
      expect(lastBegunAt - closedAt).toBeLessThan(BOUND_MS);
      // The channel was in use until then.
      expect(lastBegunAt).toBeGreaterThan(askedAt - BOUND_MS);
    });

    const ttls = [200, 1000, 3999, 4000, 5000, 60_000];
    it.each(ttls)('no sweep of any node closes a channel of %i ms that is active', async ttlMs => {
      const clock = new ManualClock(T0);
      const calls: string[] = [];
      const store = countingStore(storeWithClock(connection.store, clock), calls);
      const registry = (nodeId: string) =>
        new RedisChannelRegistry({ store, nodeId, clock, isListening: () => true });
      const [active, other] = [registry('active'), registry('other')];
      const name = channel();
      await active.openPublic(name, ttlMs);
      const stepMs = Math.min(100, ttlMs / 4);
      const steps = 400;
      for (let step = 0; step < steps; step++) {
        // In bursts, with silence of up to three quarters of the TTL between them.
        const silent = (step * stepMs) % (2 * ttlMs) > ttlMs && (step * stepMs) % (2 * ttlMs) < 1.75 * ttlMs;
        if (!silent) {
          expect(await active.current(name)).toMatchObject({ state: 'open' });
          active.noteActivity(name);
        }
        await clock.advance(stepMs);
        expect(await other.sweep()).toEqual([]);
      }
      const noted = calls.filter(call => call === 'note').length;
      const seconds = (steps * stepMs) / 1000;
      if (ttlMs >= 4000) expect(noted).toBeLessThanOrEqual(seconds + 1);
      await clock.advance(2 * ttlMs + 2000);
      await active.get(name);
      expect(await other.sweep()).toMatchObject([{ name, state: 'closed' }]);
      await Promise.all([active.stop(), other.stop()]);
    });

    it('a busy channel costs the node two questions and a note a second, whatever its publications', async () => {
      const clock = new ManualClock(T0);
      const calls: string[] = [];
      const store = countingStore(storeWithClock(connection.store, clock), calls);
      const node = new RedisChannelRegistry({ store, nodeId: 'busy', clock, isListening: () => true });
      const name = channel();
      await node.openPublic(name, 60_000);
      calls.length = 0;
      for (let ms = 0; ms < 10_000; ms += 10) {
        await node.current(name);
        node.noteActivity(name);
        await clock.advance(10);
        // The store answers within a few milliseconds of the clock: none of it is slower than the bound.
        if (ms % 100 === 0) await store.call('EXISTS', connection.store.key('channels'));
      }
      await node.stop();
      expect(calls.filter(call => call === 'note').length).toBeLessThanOrEqual(11);
      expect(calls.filter(call => call === 'HMGET').length).toBeLessThanOrEqual(21);
    });
  });
}

/** The stored text of a channel as a close leaves it, without the event. */
async function closedRecord(store: SharedStore, name: string): Promise<string> {
  const text = String(await store.call('HGET', store.key('channels'), name));
  return JSON.stringify({ ...JSON.parse(text), state: 'closed' });
}

/** Writes down the commands that a registry sends; of scripts only the notes of activity. */
function countingStore(store: SharedStore, calls: string[]): SharedStore {
  return {
    location: store.location,
    key: name => store.key(name),
    now: () => store.now(),
    call(command, ...args) {
      if (command !== 'EXISTS') calls.push(command);
      return store.call(command, ...args);
    },
    run(script, keys, args) {
      if (script.source.includes('Moves the last activity')) calls.push('note');
      return store.run(script, keys, args);
    },
  };
}
