import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { ModelStore } from '@msg/testkit/outbox';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Claimer } from '#src/worker/claimer.ts';
import { WorkerFigures } from '#src/worker/figures.ts';
import { BUSY_LINGER_MS, BUSY_ROWS, LINGER_MS, Pace } from '#src/worker/pace.ts';
import { Service } from '../support/service.ts';

const CHANNEL = 'public:shop.a';
/** A channel of another partition. */
const ELSEWHERE = 'public:shop.b';

let clock: ManualClock;
let store: ModelStore;
let service: Service;
/** How often the worker asked to be woken. */
let asked: number;
/** How often it looked for rows. */
let looks: number;
/** For how long it fell asleep each time; undefined: for the poll interval. */
let sleeps: (number | undefined)[];
/** Wakes the sleeping worker; the answer of its sleep. */
let wake: (byCommit: boolean) => void;
let stop: AbortController;
beforeEach(() => {
  clock = new ManualClock();
  store = new ModelStore({});
  service = new Service();
  asked = 0;
  looks = 0;
  sleeps = [];
  stop = new AbortController();
});
afterEach(() => stop.abort());

let id = 0;
const commit = (count: number, channel = CHANNEL): void => {
  for (let n = 0; n < count; n++) store.commit({ id: ++id, channel });
};

async function start(rows: number, claimers = 1): Promise<void> {
  const figures = new WorkerFigures(() => undefined);
  const random = systemRandom;
  const pace = new Pace({
    figures,
    clock,
    random,
    idle: (_signal, ms) => {
      sleeps.push(ms);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      wake = resolve;
      return promise;
    },
    beforeIdle: async () => {
      asked++;
      return true;
    },
  });
  const counted = {
    claim: (owner: string, most: number) => {
      looks++;
      return store.claim(owner, most);
    },
    settle: store.settle.bind(store),
  };
  const options = { openChannel: undefined, waitForChannelMs: 60_000 };
  for (let n = 0; n < claimers; n++) {
    const claimer = new Claimer({
      ...{ msg: service, store: counted, rows, figures, clock, random, pace },
      ...options,
    });
    void claimer.run(stop.signal);
  }
  await clock.advance(0);
}

it('a worker between commits that follow each other looks again before it asks to be woken', async () => {
  commit(1);
  // While the first batch is on its way the next row is committed.
  service.before = () => {
    if (service.requests.length === 1) commit(1);
  };
  await start(10);
  expect(service.requests).toHaveLength(2);
  for (let round = 3; round < 20; round++) {
    commit(1);
    await clock.advance(LINGER_MS - 1);
    expect([round, service.requests.length]).toEqual([round, round - 1]);
    await clock.advance(1);
    expect([round, service.requests.length]).toEqual([round, round]);
  }
  expect(asked).toBe(0);
  await clock.advance(LINGER_MS - 1);
  expect(asked).toBe(0);
  await clock.advance(1);
  expect(asked).toBe(1);
});

it('a worker in a busy stream waits longer, until the stream is calm again', async () => {
  commit(1);
  service.before = () => {
    if (service.requests.length === 1) commit(1);
  };
  await start(10);
  commit(BUSY_ROWS);
  await clock.advance(LINGER_MS);
  expect(service.requests).toHaveLength(3);
  for (const [request, rows] of [BUSY_ROWS, BUSY_ROWS - 1].entries()) {
    commit(rows);
    await clock.advance(BUSY_LINGER_MS - 1);
    expect(service.requests).toHaveLength(request + 3);
    await clock.advance(1);
    expect(service.requests).toHaveLength(request + 4);
  }
  commit(1);
  await clock.advance(LINGER_MS);
  expect(service.requests).toHaveLength(6);
  expect(asked).toBe(0);
});

it('in a busy stream it waits for nothing after a batch that is full', async () => {
  commit(95);
  await start(10);
  commit(10);
  commit(3);
  await clock.advance(BUSY_LINGER_MS);
  expect(service.received).toHaveLength(108);
});

it('after a lone commit it asks at once', async () => {
  commit(1);
  await start(10);
  expect([service.requests.length, asked]).toEqual([1, 1]);
});

it('it waits for nothing where more rows are due', async () => {
  commit(95);
  await start(10);
  expect(service.received).toHaveLength(95);
  expect(asked).toBe(0);
});

it('a row of a transaction that commits after the last look, without a bell, waits for one more look', async () => {
  commit(1);
  await start(10);
  expect(sleeps).toEqual([LINGER_MS]);
  commit(1);
  wake(false);
  await clock.advance(0);
  expect(service.received).toHaveLength(2);
});

it('one that a commit wakes meanwhile asks anew, and then sleeps for the poll interval', async () => {
  commit(1);
  await start(10);
  wake(true);
  await clock.advance(0);
  expect([asked, sleeps]).toEqual([2, [LINGER_MS, undefined]]);
});

it('a second claimer works while the batch of the first one is full and under way', async () => {
  commit(10);
  commit(10, ELSEWHERE);
  let most = 0;
  let under = 0;
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  service.before = async () => {
    most = Math.max(most, ++under);
    await answered;
    under--;
  };
  await start(10, 2);
  expect(most).toBe(2);
  answer();
  await clock.advance(0);
  expect(service.received).toHaveLength(20);
});

it('a second claimer looks for nothing while one is enough', async () => {
  commit(1);
  await start(10, 2);
  // The batch, the look that finds nothing, and the one after the wish to be woken.
  expect([looks, asked]).toEqual([3, 1]);
});
