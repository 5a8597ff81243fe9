import { type AppendOptions, type Policy, RealtimeNode, TimerWheel } from '@msg/engine';
import { ManualClock } from '@msg/foundation/clock/testing';
import { Prng, seededRandom } from '../prng.ts';
import { Producers } from './producer.ts';
import { AppendReader, type Manner } from './reader.ts';
import { Truth } from './truth.ts';
import { TruthBroker } from './truth-broker.ts';

const MANNERS: readonly Manner[] = [
  { encoding: 'json', delta: true },
  { encoding: 'protobuf', delta: true },
  { encoding: 'json', delta: false },
  { encoding: 'protobuf', delta: false },
];
const SIZE = 8;

function policyOf(append: AppendOptions): Policy {
  return {
    connect: () => ({ user: '' }),
    subscribe: () => ({ recovery: 'stream', delta: true }),
    streamOptions: () => ({ size: SIZE, ttlMs: 60_000, append }),
  };
}

export interface RunResult {
  readonly violation: string | null;
  readonly answers: ReadonlyMap<string, number>;
  readonly recovered: number;
  readonly unrecovered: number;
  readonly seen: number;
}

/** One channel with its producers and readers, driven by a seed. */
export async function playAppends(seed: number, steps: number): Promise<RunResult> {
  const prng = new Prng(seed);
  const clock = new ManualClock();
  let violation: string | null = null;
  const report = (text: string): void => {
    violation ??= text;
  };
  const wheel = new TimerWheel(clock);
  const broker = new TruthBroker({ clock, random: seededRandom(new Prng(~seed)), wheel });
  const truth = new Truth();
  broker.truth = truth;
  broker.violation = report;
  const windowMs = prng.pick([0, 40]);
  const fullWindowMs = prng.pick([40, 250]);
  const policy = policyOf({ maxBytes: 1_000_000, orphanMs: 5000, windowMs, fullWindowMs });
  const limits = { pingMs: 0, queueBytes: 500_000, writeStallMs: 60_000, presenceMs: 3_600_000 };
  // Long texts make readers lag.
  const longTexts = prng.chance(30);
  const node = new RealtimeNode({
    policy,
    clock,
    broker,
    limits,
    onError: error => report(`error: ${error}`),
  });
  await node.start();
  const producers = new Producers(node, truth, prng, longTexts, report);
  const readers = Array.from({ length: 5 }, (_, index) => {
    const manner = MANNERS[index % MANNERS.length] as Manner;
    return new AppendReader(`reader${index}`, manner, node, truth, report);
  });
  let ordinary = 0;
  for (let step = 0; step < steps && violation === null; step++) {
    const roll = prng.below(100);
    const reader = prng.pick(readers);
    if (roll < 60) await settledBy(clock, producers.act());
    else if (roll < 66)
      await node.publish('c', Buffer.from(JSON.stringify({ id: '', text: `text ${++ordinary}` })), {
        delta: true,
      });
    else if (roll < 78) reader.connect();
    else if (roll < 82) reader.hangUp();
    else if (roll < 84) reader.startOver();
    else if (roll < 87) reader.stopReading();
    else if (roll < 92) reader.readAgain();
    else if (roll < 97) await clock.advance(prng.below(700));
    else if (roll < 98) await clock.advance(6000);
    else if (roll < 99) await node.removeHistory('c');
    else if (prng.chance(20)) {
      await node.removeStream('c');
      producers.lost();
    }
    for (let n = prng.below(4); n > 0; n--) await null;
    if (prng.chance(30)) await new Promise(resolve => setImmediate(resolve));
  }
  if (violation === null) await settle(clock, node, readers, producers, report);
  await node.shutdown({ graceMs: 0 });
  const sum = (pick: (reader: AppendReader) => number) =>
    readers.reduce((total, next) => total + pick(next), 0);
  return {
    violation,
    answers: producers.answers,
    recovered: sum(({ recovered }) => recovered),
    unrecovered: sum(({ unrecovered }) => unrecovered),
    seen: sum(({ seen }) => seen),
  };
}

/** Everybody comes back and reads: then all have the open message as far as it goes. */
async function settle(
  clock: ManualClock,
  node: RealtimeNode,
  readers: readonly AppendReader[],
  producers: Producers,
  report: (text: string) => void,
): Promise<void> {
  for (const reader of readers) reader.readAgain();
  for (let turns = 0; turns < 10; turns++) {
    await new Promise(resolve => setImmediate(resolve));
    for (const reader of readers) reader.connect();
    await clock.advance(300);
  }
  const { publications } = await node.history('c', { limit: -1 });
  const kept = new Set(publications.map(({ offset }) => offset));
  for (const reader of readers) {
    const missed = reader.missed(kept);
    if (missed !== null) report(`${reader.name} stops at ${reader.position.offset} without ${missed}`);
  }
  const { open } = producers;
  if (open === null) return;
  const written = open.ops.join('').slice(0, open.shown);
  for (const reader of readers) {
    const text = reader.texts.get(open.id)?.text;
    if (text !== written)
      report(`${reader.name} ends with ${JSON.stringify(text)}, not ${JSON.stringify(written)}`);
  }
}

/** Waits for an answer, which may wait for a window. */
async function settledBy(clock: ManualClock, work: Promise<void>): Promise<void> {
  let isSettled = false;
  const settled = work.finally(() => {
    isSettled = true;
  });
  for (let turns = 0; turns < 20 && !isSettled; turns++) await null;
  while (!isSettled) await clock.advance(20);
  await settled;
}
