// How long a stop takes to reach a silent producer: as long as a request, also after a read that failed or did not wait.
import { type AppendWriter, appendStream, createRpcClient } from '@msg/core';
import { ManualClock } from '@msg/foundation/clock/testing';
import { eventually } from '@msg/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AppendWaits } from '#src/append/waits.ts';
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

it('four calls wait for a message, and its writer in this process beside them', async () => {
  const waits = new AppendWaits();
  const taken = Array.from({ length: 4 }, () => waits.next(NAME));
  const [fifth, writer] = [waits.next(NAME), waits.next(NAME, true)];
  expect([taken.includes(undefined), fifth, writer === undefined]).toEqual([false, undefined, false]);
  writer?.forget();
  taken[0]?.forget();
  // The writer's place is not one of the four.
  expect([waits.next(NAME, true), waits.next(NAME)]).not.toContain(undefined);
  waits.wake(NAME);
  await Promise.all(taken.slice(1).map(wait => wait?.happened));
  expect(waits.next(NAME)).toBeDefined();
});
