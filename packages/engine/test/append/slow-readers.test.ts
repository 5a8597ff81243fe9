import { MemoryBroker, type Policy, RealtimeNode, TimerWheel } from '@msg/engine';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StateReader } from './state-reader.ts';

const KILOBYTE = 'abcdefgh'.repeat(128);
const append = { maxBytes: 1_048_576, orphanMs: 60_000, windowMs: 0 };
const policy: Policy = {
  connect: () => ({ user: '' }),
  subscribe: () => ({ recovery: 'stream', delta: true }),
  streamOptions: () => ({ size: 10, ttlMs: 60_000, append }),
};

let clock: ManualClock;
let wheel: TimerWheel;
let node: RealtimeNode;
let seq: number;
let text: string;

beforeEach(async () => {
  clock = new ManualClock();
  wheel = new TimerWheel(clock);
  const broker = new MemoryBroker({ clock, random: systemRandom, wheel });
  const limits = { pingMs: 0, writeStallMs: 600_000 };
  node = new RealtimeNode({ policy, clock, broker, limits });
  await node.start();
  seq = 0;
  text = '';
});
afterEach(async () => {
  await node.shutdown({ graceMs: 0 });
  wheel.stop();
  expect(clock.pending).toBe(0);
});

async function grow(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    text += KILOBYTE;
    await node.append('c', { message: 'm', producer: 'p', seq: ++seq, ops: [{ text: KILOBYTE }] });
  }
}

const turns = async (): Promise<void> => {
  for (let n = 0; n < 5; n++) await new Promise(resolve => setImmediate(resolve));
};

describe.each(['json', 'protobuf'] as const)('a reader that does not keep up, %s', encoding => {
  it('gets one patch from what it holds when it has caught up, and the others notice nothing', async () => {
    const slow = new StateReader(node, encoding, true);
    const healthy = new StateReader(node, encoding, true);
    await turns();
    await grow(5);
    await turns();
    slow.link.stopReading();
    await grow(300);
    await turns();
    expect(healthy.texts).toHaveLength(305);
    expect(healthy.forms.filter(form => form === 'full')).toHaveLength(1);
    const { queueBytes } = node.stats();
    expect(queueBytes).toBeGreaterThan(0);
    expect(queueBytes).toBeLessThan(200_000);
    slow.link.readAgain();
    await clock.advance(500);
    await turns();
    expect(slow.closed).toBe(0);
    expect(slow.texts.at(-1)).toBe(text);
    expect(slow.texts.length).toBeLessThan(120);
    expect(slow.forms.slice(1).every(form => form === 'patch')).toBe(true);
    await grow(1);
    await turns();
    expect([slow.texts.at(-1), slow.forms.at(-1)]).toEqual([text, 'patch']);
  });

  it('without patches gets the newest document, not those between, and is not cut', async () => {
    const slow = new StateReader(node, encoding, false);
    await turns();
    await grow(1);
    await turns();
    slow.link.stopReading();
    for (let second = 0; second < 20; second++) {
      await grow(10);
      await clock.advance(1000);
    }
    await node.append('c', { message: 'm', producer: 'p', seq: ++seq, ops: [{ status: 'complete' }] });
    expect(node.stats().queueBytes).toBeLessThan(300_000);
    slow.link.readAgain();
    await clock.advance(1000);
    await turns();
    expect([slow.closed, slow.texts.at(-1)]).toEqual([0, text]);
    expect(slow.texts.length).toBeLessThan(15);
  });

  it('has the state that it was owed before the next message begins', async () => {
    const slow = new StateReader(node, encoding, true);
    await turns();
    await grow(1);
    await turns();
    slow.link.stopReading();
    await grow(100);
    await node.append('c', { message: 'm', producer: 'p', seq: ++seq, ops: [{ status: 'complete' }] });
    await node.append('c', { message: 'n', producer: 'p', seq: 1, ops: [{ text: 'next' }] });
    slow.link.readAgain();
    await clock.advance(500);
    await turns();
    expect(slow.texts.slice(-2)).toEqual([text, 'next']);
  });
});

it('receives at most 300 kB of documents in a second while others publish 100 times', async () => {
  const readers = [new StateReader(node, 'json', true), new StateReader(node, 'json', false)];
  await turns();
  const document = 'x'.repeat(250_000);
  await node.append('c', { message: 'm', producer: 'p', seq: ++seq, ops: [{ text: document }] });
  await clock.advance(5000);
  const before = node.stats().bytesOut;
  let waiting = Promise.resolve() as Promise<unknown>;
  for (let n = 0; n < 1000; n++) {
    await node.publish('c', Buffer.from('{"text":"noise"}'));
    waiting = node.append('c', { message: 'm', producer: 'p', seq: ++seq, ops: [{ text: 'token' }] });
    await clock.advance(10);
    await turns();
  }
  const perReaderAndSecond = (node.stats().bytesOut - before) / readers.length / 10;
  const noise = 100 * 120;
  expect(perReaderAndSecond).toBeLessThan(300_000 + noise);
  await clock.advance(5000);
  await waiting;
  await turns();
  for (const { texts, closed } of readers) {
    expect(closed).toBe(0);
    expect(texts.filter(seen => seen !== 'noise').at(-1)).toBe(document + 'token'.repeat(1000));
  }
});
