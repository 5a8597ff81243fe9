import { MemoryBroker, TimerWheel } from '@msg/engine';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { eventually, type RawClient } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { DeltaReader } from './delta-reader.ts';
import { Harness, OPEN_POLICY } from './harness.ts';

let harness: Harness;
afterEach(() => harness.stop());

const PASSING = { stream: { size: 0, ttlMs: 0 } };

const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

async function next(client: RawClient): Promise<[offset: number, text: string]> {
  const { pub } = await client.push();
  return [pub?.offset ?? -1, text(pub?.data.bytes)];
}

describe('a publication without offset in a channel with history', () => {
  it('reaches live subscribers in its place, and is never recovered', async () => {
    harness = await Harness.start();
    const client = await harness.connected();
    const { subscribe } = await client.request({ subscribe: { channel: 'news' } });
    await harness.publish('news', '1');
    await harness.node.publish('news', Buffer.from('"skipped"'), PASSING);
    await harness.node.publish('news', Buffer.from('"volatile"'), { volatile: true });
    await harness.publish('news', '2');
    const pushes = [await next(client), await next(client), await next(client), await next(client)];
    expect(pushes).toEqual([
      [1, '1'],
      [0, '"skipped"'],
      [0, '"volatile"'],
      [2, '2'],
    ]);
    const late = await harness.connected();
    const from = { recover: true, offset: 0, epoch: subscribe?.epoch ?? '' };
    const recovered = await late.request({ subscribe: { channel: 'news', ...from } });
    expect(recovered.subscribe).toMatchObject({ recovered: true });
    expect(recovered.subscribe?.publications.map(({ data }) => text(data.bytes))).toEqual(['1', '2']);
  });

  it('is not sent behind a reply that already holds it', async () => {
    const clock = new ManualClock();
    const broker = new PausedBroker({ clock, random: systemRandom, wheel: new TimerWheel(clock) });
    harness = await Harness.start({ clock, broker });
    const client = await harness.connected();
    const reply = client.request({ subscribe: { channel: 'news' } });
    await eventually('the subscribe reads history', () => broker.reading);
    await harness.node.publish('news', Buffer.from('"before"'), PASSING);
    await harness.publish('news', '1');
    await harness.node.publish('news', Buffer.from('"after"'), PASSING);
    broker.resume();
    expect((await reply).subscribe).toMatchObject({ offset: 1 });
    await harness.publish('news', '2');
    expect([await next(client), await next(client)]).toEqual([
      [0, '"after"'],
      [2, '2'],
    ]);
  });

  it.each(['json', 'protobuf'] as const)('is not taken for the base of a patch, %s', async encoding => {
    harness = await Harness.start({
      policy: { ...OPEN_POLICY, subscribe: () => ({ recovery: 'stream', delta: true }) },
    });
    const client = await harness.connected({ encoding });
    await client.request({ subscribe: { channel: 'news', delta: 'fossil' } });
    const steady = (n: number) => JSON.stringify({ n, note: 'steady payload that repeats' });
    const passing = JSON.stringify({ note: 'nothing of the payloads around it' });
    const publish = (payload: string, options = {}) =>
      harness.node.publish('news', Buffer.from(payload), { delta: true, ...options });
    await publish(steady(1));
    await publish(steady(2));
    await publish(passing, PASSING);
    await publish(steady(3));
    await publish(steady(4));
    const reader = new DeltaReader(encoding);
    const read: [delta: boolean, text: string][] = [];
    for (let n = 0; n < 5; n++) {
      const { pub } = await client.push();
      if (pub === null) throw new Error('not a publication');
      read.push([pub.delta, reader.read(pub)]);
    }
    expect(read).toEqual([
      [false, steady(1)],
      [true, steady(2)],
      [false, passing],
      [false, steady(3)],
      [true, steady(4)],
    ]);
  });

  it('does not put off the check that finds a lost publication', async () => {
    const clock = new ManualClock();
    const broker = new LosingBroker({ clock, random: systemRandom, wheel: new TimerWheel(clock) });
    harness = await Harness.start({ clock, broker, limits: { pingMs: 0 } });
    const client = await harness.connected();
    await client.request({ subscribe: { channel: 'news' } });
    broker.losing = true;
    await harness.publish('news', '1');
    broker.losing = false;
    for (let second = 0; second < 70; second++) {
      await harness.node.publish('news', Buffer.from('"cursor"'), { volatile: true });
      await clock.advance(1000);
    }
    expect(harness.node.stats().insufficientStates).toBe(1);
  });
});

/** Reads history when it is told to. */
class PausedBroker extends MemoryBroker {
  #resume = Promise.withResolvers<void>();
  reading = false;

  override async history(...args: Parameters<MemoryBroker['history']>): ReturnType<MemoryBroker['history']> {
    this.reading = true;
    await this.#resume.promise;
    return super.history(...args);
  }

  resume(): void {
    this.#resume.resolve();
  }
}

/** Keeps publications and does not hand them on while it is `losing`. */
class LosingBroker extends MemoryBroker {
  losing = false;

  override async start(events: Parameters<MemoryBroker['start']>[0]): Promise<void> {
    const losing = (): boolean => this.losing;
    await super.start({
      join: (...join) => events.join(...join),
      leave: (...leave) => events.leave(...leave),
      appended: (...state) => events.appended(...state),
      publication(...publication) {
        if (!losing()) events.publication(...publication);
      },
    });
  }
}
