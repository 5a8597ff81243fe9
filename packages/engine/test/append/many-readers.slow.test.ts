import { createHash } from 'node:crypto';
import { MemoryBroker, type Policy, RealtimeNode, TimerWheel } from '@msg/engine';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { jsonCodec, protobufCodec } from '@msg/protocol';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DocumentState } from '#src/append/document-state.ts';
import type { ServerMessage } from '../model/link.ts';
import { MemoryLink } from '../model/memory-link.ts';
import { StateReader } from './state-reader.ts';

const TIMEOUT_MS = 240_000;
const JOINERS = 10_000;
const TEXT = 'the text so far '.repeat(1024);
/** Of one addition, and of the whole answer: 256 KiB. */
const TOKEN = 'abcdefgh'.repeat(32);
const TOKENS = 1000;
const WINDOW_MS = 40;
const HEALTHY = 50;
/** What the slow network carries in one window: 4 kB in a second. */
const SLOW_BYTES = 160;

const append = { maxBytes: 1_048_576, orphanMs: 60_000, windowMs: 0 };
const policy: Policy = {
  connect: () => ({ user: '' }),
  subscribe: () => ({ recovery: 'stream', delta: true }),
  streamOptions: () => ({ size: 10, ttlMs: 60_000, append }),
};

let clock: ManualClock;
let wheel: TimerWheel;
let node: RealtimeNode;

async function start(): Promise<void> {
  clock = new ManualClock();
  wheel = new TimerWheel(clock);
  const broker = new MemoryBroker({ clock, random: systemRandom, wheel });
  node = new RealtimeNode({ policy, clock, broker, limits: { pingMs: 0 } });
  await node.start();
}

async function stop(): Promise<void> {
  await node.shutdown({ graceMs: 0 });
  wheel.stop();
}

beforeEach(start);
afterEach(stop);

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Counts the events of a connection, and sums what is in them. */
class SummedReader {
  events = 0;
  readonly #sum = createHash('sha1');

  constructor() {
    const link = new MemoryLink(node, 'json', {
      received: message => this.#received(message),
      closed: () => {},
    });
    link.send([
      { kind: 'connect', id: 1, token: '' },
      { kind: 'subscribe', id: 2, channel: 'c', recover: false, epoch: '', offset: 0, delta: true, flag: 0 },
    ]);
  }

  #received(message: ServerMessage): void {
    if (message.kind !== 'publication') return;
    const { offset, delta, bytes } = message.publication;
    this.events++;
    this.#sum.update(`${offset} ${delta} `).update(bytes);
  }

  digest(): string {
    return this.#sum.digest('hex');
  }
}

/** Lets an answer of 256 KiB grow before healthy readers, with one behind a slow network or without; tells what they got. */
async function growBefore(
  isSlowThere: boolean,
): Promise<{ readonly healthy: Set<string>; readonly slow?: StateReader }> {
  const slow = isSlowThere ? new StateReader(node, 'json', true) : undefined;
  const whole = new StateReader(node, 'json', true);
  const healthy = Array.from({ length: HEALTHY }, () => new SummedReader());
  await turn();
  slow?.link.stopReading();
  for (let seq = 1; seq <= TOKENS + 1; seq++) {
    const op = seq <= TOKENS ? { text: TOKEN } : { status: 'complete' as const };
    await node.append('c', { message: 'm', producer: 'p', seq, ops: [op] });
    await clock.advance(WINDOW_MS);
    slow?.link.readSome(SLOW_BYTES);
    if (seq % 100 === 0) await turn();
  }
  const text = TOKEN.repeat(TOKENS);
  expect(whole.texts.at(-1)).toBe(text);
  for (let step = 0; slow !== undefined && slow.texts.at(-1) !== text && step < 10 * TOKENS; step++) {
    slow.link.readSome(SLOW_BYTES);
    await clock.advance(WINDOW_MS);
  }
  return {
    healthy: new Set(healthy.map(reader => `${reader.events} ${reader.digest()}`)),
    ...(slow && { slow }),
  };
}

it(`${JOINERS} readers that join at one state cost one document, and one encoding of each form`, {
  timeout: TIMEOUT_MS,
}, async () => {
  await node.append('c', { message: 'm', producer: 'p', seq: 1, ops: [{ text: TEXT }] });
  const built = vi.spyOn(DocumentState.prototype, 'toBytes');
  const encoded = [jsonCodec, protobufCodec].map(codec => vi.spyOn(codec, 'encodePublication'));
  try {
    for (let n = 0; n < JOINERS; n++) {
      const reader = new StateReader(node, n % 2 === 0 ? 'json' : 'protobuf', n % 4 < 2);
      while (reader.texts.length === 0 && reader.closed === 0) await turn();
      if (reader.texts.length !== 1 || reader.texts[0] !== TEXT)
        throw new Error(`reader ${n} has another text`);
    }
    // As a document that patches go on from, and as one that they do not.
    expect([built.mock.calls.length, ...encoded.map(({ mock }) => mock.calls.length)]).toEqual([1, 2, 2]);
  } finally {
    vi.restoreAllMocks();
  }
});

it(`a reader of 4 kB in a second changes nothing for ${HEALTHY} others, is not cut, and ends with all of it`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const { healthy, slow } = await growBefore(true);
  expect(slow?.texts.at(-1)).toBe(TOKEN.repeat(TOKENS));
  expect(slow?.closed).toBe(0);
  // It was behind: what it missed came together.
  expect(slow?.texts.length).toBeLessThan(TOKENS / 2);
  await stop();
  await start();
  const alone = await growBefore(false);
  expect([healthy.size, alone.healthy.size]).toEqual([1, 1]);
  expect(healthy).toEqual(alone.healthy);
  expect([...healthy][0]).toMatch(new RegExp(`^${TOKENS + 1} `));
});
