import { ManualClock } from '@msg/foundation/clock/testing';
import { expect, test } from 'vitest';
import { type LogFields, silentLogger } from '#src/observability/logger.ts';
import { BEAT_MS, type SupervisedThread, Supervisor, type ThreadEnd } from '#src/threads/supervisor.ts';

/** A thread that does what a test says. */
class PlayedThread implements SupervisedThread {
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<ThreadEnd>();
  readonly ready = this.#ready.promise;
  readonly ended = this.#ended.promise;
  beats = 0;
  serve(): void {
    this.#ready.resolve();
  }
  end(end: ThreadEnd = { cause: 'error', error: new Error('it broke') }): void {
    this.#ended.resolve(end);
  }
  terminate(cause: ThreadEnd['cause']): void {
    this.end({ cause });
  }
}

function play(threads = 2) {
  const clock = new ManualClock();
  const started: { readonly number: number; readonly thread: PlayedThread }[] = [];
  const records: { readonly fields: LogFields; readonly text: string }[] = [];
  const note = (fields: LogFields, text: string): void => void records.push({ fields, text });
  let ends = 0;
  let watches = true;
  const supervisor = new Supervisor({
    clock,
    threads,
    logger: { ...silentLogger, warn: note, error: note },
    start(number) {
      const thread = new PlayedThread();
      started.push({ number, thread });
      return thread;
    },
    watches: () => watches,
    onNone: () => {
      ends += 1;
    },
  });
  const newest = (number: number): PlayedThread => {
    const found = started.findLast(row => row.number === number);
    if (found === undefined) throw new Error(`thread ${number} was not started`);
    return found.thread;
  };
  /** Time goes on; the threads of these numbers beat. */
  const pass = async (ms: number, alive: readonly number[]): Promise<void> => {
    for (let at = 0; at < ms; at += BEAT_MS) {
      for (const number of alive) newest(number).beats += 1;
      await clock.advance(BEAT_MS);
    }
  };
  const settle = () => clock.advance(0);
  return {
    clock,
    supervisor,
    started,
    records,
    newest,
    pass,
    settle,
    get ends() {
      return ends;
    },
    debug: () => {
      watches = false;
    },
  };
}

test('all threads start side by side, and a start waits for each of them, also for one that is started again', async () => {
  const { clock, supervisor, started, newest, settle } = play(3);
  let hasStarted = false;
  const starting = supervisor.start().then(() => {
    hasStarted = true;
  });
  expect(started.map(({ number }) => number)).toEqual([1, 2, 3]);
  newest(1).serve();
  newest(2).end();
  newest(3).serve();
  await settle();
  expect(supervisor.placeable()).toEqual([1, 3]);
  expect(hasStarted).toBe(false);
  await clock.advance(100);
  expect(started.map(({ number }) => number)).toEqual([1, 2, 3, 2]);
  newest(2).serve();
  await starting;
  expect(supervisor.up).toBe(3);
  supervisor.stop();
});

test('a start goes on after 10 s, not earlier, with the threads that serve', async () => {
  const { supervisor, newest, records, pass } = play(2);
  let hasStarted = false;
  const starting = supervisor.start().then(() => {
    hasStarted = true;
  });
  newest(1).serve();
  await pass(9750, [1, 2]);
  expect(hasStarted).toBe(false);
  await pass(250, [1, 2]);
  await starting;
  expect(records.map(({ text }) => text)).toEqual(['not all threads have started']);
  newest(2).serve();
  await pass(250, [1, 2]);
  expect(supervisor.up).toBe(2);
  supervisor.stop();
});

test('a start fails after 10 s, not earlier, with the errors of all threads when none serves', async () => {
  const { supervisor, newest, started, pass } = play(3);
  let failure: unknown;
  const starting = supervisor.start().catch((error: unknown) => {
    failure = error;
  });
  newest(1).end();
  newest(2).end({ cause: 'memory', error: new Error('it is full') });
  await pass(9750, [3]);
  expect(failure).toBeUndefined();
  expect(started.map(({ number }) => number)).toEqual([1, 2, 3, 1, 2]);
  await pass(250, [3]);
  await starting;
  expect(failure).toMatchObject({
    code: 'MSG_BROKER_INTERNAL',
    message:
      'no thread has started within 10 s; thread 1: Error: it broke; thread 2: memory: Error: it is full; ' +
      'thread 3: it is still starting',
    cause: { errors: [{ message: 'it broke' }, { message: 'it is full' }] },
  });
  supervisor.stop();
});

test('a thread that ends is started again after a pause that doubles up to 10 s, and is short again after a minute', async () => {
  const { clock, supervisor, started, records, newest, settle, pass } = play(2);
  const starting = supervisor.start();
  for (const number of [1, 2]) newest(number).serve();
  await starting;
  const ends = (): LogFields[] =>
    records.map(({ fields }) => fields).filter(fields => fields['restart_ms'] !== undefined);
  for (let death = 0; death < 9; death++) {
    newest(1).end();
    await settle();
    const before = started.length;
    const pause = Number(ends().at(-1)?.['restart_ms']);
    newest(2).beats += 1; // it is never silent for long
    await clock.advance(pause - 1);
    expect(started).toHaveLength(before);
    await clock.advance(1);
    expect(started).toHaveLength(before + 1);
    newest(1).serve();
    await settle();
  }
  expect(ends().map(fields => fields['restart_ms'])).toEqual([
    100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000,
  ]);
  await pass(60_000, [1, 2]);
  newest(1).end();
  await settle();
  expect(ends().at(-1)).toMatchObject({ thread: 1, cause: 'error', restart_ms: 100 });
  expect(supervisor.restartsOf(1)).toEqual(new Map([['error', 10]]));
  expect(supervisor.restartsOf(2).size).toBe(0);
  supervisor.stop();
});

test('a silent thread is passed over, warned of after 10 s and ended after 30 s', async () => {
  const { supervisor, records, newest, pass } = play(2);
  const starting = supervisor.start();
  for (const number of [1, 2]) newest(number).serve();
  await starting;
  await pass(1000, [1, 2]);
  expect(supervisor.placeable()).toEqual([1, 2]);
  await pass(500, [2]);
  expect(supervisor.placeable()).toEqual([1, 2]);
  await pass(250, [2]);
  expect(supervisor.placeable()).toEqual([2]);
  await pass(9250, [2]);
  expect(records.map(({ text }) => text)).toEqual(['a thread has been silent for 10 s']);
  await pass(20_250, [2]);
  expect(supervisor.restartsOf(1)).toEqual(new Map([['stuck', 1]]));
  supervisor.stop();
});

test('late threads are still chosen when all are late', async () => {
  const { supervisor, newest, pass } = play(2);
  const starting = supervisor.start();
  for (const number of [1, 2]) newest(number).serve();
  await starting;
  await pass(2000, []);
  expect(supervisor.placeable()).toEqual([1, 2]);
  supervisor.stop();
});

test('a process that was stopped as a whole ends no thread, nor does a debugger', async () => {
  const stopped = play(1);
  const starting = stopped.supervisor.start();
  stopped.newest(1).serve();
  await starting;
  // One late tick stands for all that were missed.
  await stopped.clock.advance(0);
  await stopped.pass(250, []);
  expect(stopped.supervisor.restartsOf(1).size).toBe(0);
  stopped.debug();
  await stopped.pass(60_000, []);
  expect(stopped.supervisor.restartsOf(1).size).toBe(0);
  stopped.supervisor.stop();
});

test('30 s without a thread that serves are the end of the process, one that comes in time is not', async () => {
  const played = play(1);
  const starting = played.supervisor.start();
  played.newest(1).serve();
  await starting;
  played.newest(1).end();
  await played.pass(29_000, [1]);
  played.newest(1).serve();
  await played.pass(10_000, [1]);
  expect(played.ends).toBe(0);
  played.newest(1).end();
  await played.pass(30_250, [1]);
  expect(played.ends).toBe(1);
  played.supervisor.stop();
});

test('after a stop nothing is started again', async () => {
  const { clock, supervisor, started, newest } = play(1);
  const starting = supervisor.start();
  newest(1).serve();
  await starting;
  supervisor.stop();
  newest(1).end();
  await clock.advance(60_000);
  expect(started).toHaveLength(1);
});
