import { MemoryBroker, TimerWheel } from '@msg/engine';
import { APPEND_CONTRACT, BROKER_CONTRACT, RecordedEvents } from '@msg/engine/testing';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { Payload } from '@msg/protocol';
import { describe, expect, it } from 'vitest';

async function subject() {
  const clock = new ManualClock();
  const wheel = new TimerWheel(clock);
  const broker = new MemoryBroker({ clock, random: systemRandom, wheel });
  const events = new RecordedEvents();
  await broker.start(events);
  return { broker, events, clock, wheel, advance: (ms: number) => clock.advance(ms) };
}

describe('the memory broker keeps the contract', () => {
  it.each([...BROKER_CONTRACT, ...APPEND_CONTRACT])('$name', async ({ holds }) => {
    const created = await subject();
    await holds(created);
    await created.broker.stop();
    expect(created.wheel.size).toBe(0);
  });
});

describe('the memory broker', () => {
  it('has at most 10,000 open messages, and takes one more when one has ended', async () => {
    const { broker, advance, wheel } = await subject();
    const stream = {
      size: 10,
      ttlMs: 60_000,
      metaTtlMs: 120_000,
      append: { maxBytes: 4096, orphanMs: 30_000 },
    };
    const end = { kind: 'status', status: 'complete', reason: '' } as const;
    const text = { kind: 'text', bytes: new Uint8Array([0x61]) } as const;
    const open = async (channel: string) =>
      broker.appends.append(channel, { message: 'm', producer: 'p', seq: 1, ops: [text] }, stream);
    for (let n = 0; n < 10_000; n++) await open(`c${n}`);
    await expect(open('one.more')).rejects.toMatchObject({ kind: 'limited' });
    await broker.appends.append('c7', { message: 'm', producer: 'p', seq: 2, ops: [end] }, stream);
    await open('one.more');
    expect(broker.appends.openMessages).toBe(10_000);
    // Nobody says anything any more: all of them end, and nothing stays.
    await advance(30_000);
    expect(broker.appends.openMessages).toBe(0);
    await advance(600_000);
    expect([broker.channelCount, wheel.size]).toEqual([0, 0]);
    await broker.stop();
  });

  it('frees everything of a channel once it has expired', async () => {
    const { broker, advance, wheel } = await subject();
    const stream = { size: 2, ttlMs: 1000, metaTtlMs: 3000 };
    await broker.publish('c', new Payload(new Uint8Array([1])), stream, {
      idempotencyKey: 'k',
      idempotencyTtlMs: 9000,
    });
    await advance(5000);
    expect(broker.channelCount).toBe(1);
    await advance(5000);
    expect(broker.channelCount).toBe(0);
    expect(wheel.size).toBe(0);
  });

  it.each([-3_600_000, 3_600_000])(
    'keeps all as long as it should when the wall clock is set by %i ms',
    async jump => {
      const { broker, clock, advance } = await subject();
      const stream = { size: 10, ttlMs: 60_000, metaTtlMs: 120_000 };
      const once = { idempotencyKey: 'k', idempotencyTtlMs: 30_000 };
      const publish = async () => broker.publish('c', new Payload(new Uint8Array([1])), stream, once);
      const read = () => broker.history('c', { limit: -1 }, 120_000);
      const { epoch } = await publish();
      clock.jump(jump);
      await advance(29_000);
      expect((await publish()).suppressed).toBe(true);
      await advance(30_900);
      expect((await read()).publications).toHaveLength(1);
      await advance(300);
      expect(await read()).toMatchObject({ publications: [], epoch });
      await advance(120_200);
      expect((await read()).epoch).not.toBe(epoch);
      expect((await publish()).suppressed).toBe(false);
    },
  );

  it('hands a publication on before publish returns, so delivery order is call order', async () => {
    const { broker, events } = await subject();
    const pending = broker.publish('c', new Payload(new Uint8Array([1])), { size: 1, ttlMs: 1000 }, {});
    expect(events.publications).toHaveLength(1);
    await pending;
  });
});
