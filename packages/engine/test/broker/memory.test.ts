import { MemoryBroker, systemRandom, TimerWheel } from '@msg/engine';
import { BROKER_CONTRACT, ManualClock, RecordedEvents } from '@msg/engine/testing';
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
  it.each(BROKER_CONTRACT)('$name', async ({ holds }) => {
    const created = await subject();
    await holds(created);
    await created.broker.stop();
    expect(created.wheel.size).toBe(0);
  });
});

describe('the memory broker', () => {
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

  it('hands a publication on before publish returns, so delivery order is call order', async () => {
    const { broker, events } = await subject();
    const pending = broker.publish('c', new Payload(new Uint8Array([1])), { size: 1, ttlMs: 1000 }, {});
    expect(events.publications).toHaveLength(1);
    await pending;
  });
});
