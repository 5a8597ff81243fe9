// How long a stop takes to reach a silent producer: as long as a request, also after a read that failed or did not wait.
import { type AppendWriter, appendStream, createRpcClient } from '@msg/core';
import type { KeyCounts } from '@msg/engine';
import { threadHost } from '@msg/engine/threads';
import { ManualClock } from '@msg/foundation/clock/testing';
import { eventually } from '@msg/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AppendSeats, AppendWaits } from '#src/append/waits.ts';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { rpcOf } from '../support/rpc.ts';

const NAME = 'public:shop.chat.7';
/** Longest pause between two reads of a writer, milliseconds. */
const PAUSE_MS = 400;

let service: Embedded;
let rpc: ReturnType<typeof rpcOf>;
let clock: ManualClock;
/** Reads that wait at the service for the writer. */
let waiting = 0;
/** Fails what the writer reads. */
let lost: PromiseWithResolvers<never> | null = null;

beforeEach(async () => {
  const rules = [{ pattern: 'public:shop.**', append: true, appendWindowMs: 0 }];
  service = await embed({ channels: { rules, open: [{ pattern: 'public:shop.**' }] } });
  rpc = rpcOf(service.url, service.msg.tokens.issueManagement('ann').token);
  clock = new ManualClock();
  waiting = 0;
  lost = null;
});
afterEach(stopEmbedded);

const cancel = () => rpc('AppendCancel', { name: NAME, reason: 'enough' });

/** A writer over the RPC with time of its own. */
function open(): Promise<AppendWriter> {
  const client = createRpcClient<AbortSignal>({
    server: service.url,
    token: service.msg.tokens.issueManagement('backend').token,
    fetch: (url, init) => {
      if (!url.endsWith('/AppendState')) return fetch(url, init);
      if (init.body.includes('"wait_seconds":25')) waiting++;
      return lost === null ? fetch(url, init) : Promise.race([fetch(url, init), lost.promise]);
    },
  });
  return appendStream(client, NAME, { orphanTimeout: 3_600_000 }, clock);
}

const isStopped = (stream: AppendWriter) =>
  eventually('the producer hears of it', () => stream.signal.aborted);

it('a read that waits is answered at once', async () => {
  const stream = await open();
  await eventually('it waits', () => waiting === 1);
  await cancel();
  await isStopped(stream);
  expect(stream.signal.reason).toMatchObject({ reason: 'cancelled', meta: { by: 'ann', reason: 'enough' } });
});

it('a stop while reads fail is heard with the next one, which is never far', async () => {
  lost = Promise.withResolvers();
  const stream = await open();
  await eventually('it waits', () => waiting === 1);
  lost.reject(new TypeError('no connection'));
  await clock.advance(10_000);
  expect(waiting).toBeGreaterThan(20);
  await cancel();
  expect(stream.signal.aborted).toBe(false);
  lost = null;
  await clock.advance(PAUSE_MS);
  await isStopped(stream);
});

it('all who wait for a channel wake when something happens, but for those who left', async () => {
  const waits = new AppendWaits();
  const [left, ...waiting] = Array.from({ length: 3 }, () => waits.next(NAME));
  let woke = 0;
  for (const wait of [left, ...waiting]) void wait?.happened.then(() => woke++);
  left?.forget();
  waits.wake('public:other');
  waits.wake(NAME);
  await Promise.all(waiting.map(wait => wait.happened));
  expect(woke).toBe(2);
});

it.each<[string, KeyCounts | undefined]>([
  ['a service alone', undefined],
  ['the threads of a process', threadHost().backends.bounds.counts],
])('four calls have a seat at the messages of a channel: %s', async (_, counts) => {
  const seats = new AppendSeats(counts);
  const taken = await Promise.all(Array.from({ length: 5 }, () => seats.take(NAME)));
  expect(taken.map(leave => leave !== undefined)).toEqual([true, true, true, true, false]);
  expect(await seats.take('public:other')).toBeDefined();
  taken[0]?.();
  expect([await seats.take(NAME), await seats.take(NAME)]).toEqual([expect.any(Function), undefined]);
});
