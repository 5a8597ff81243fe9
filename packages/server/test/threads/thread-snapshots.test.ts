import { ManualClock } from '@msg/foundation/clock/testing';
import { expect, test } from 'vitest';
import { sumMetrics, writeMetrics } from '#src/threads/metrics-text.ts';
import { type ReadThread, type ThreadSeries, ThreadSnapshots } from '#src/threads/thread-snapshots.ts';

const LAG = { min: 0, max: 0.5, mean: 0.1, p50: 0.1, p90: 0.2, p99: 0.4 };

function seriesText(publishes: number): string {
  return `# HELP msg_publishes_total Publishes
# TYPE msg_publishes_total counter
msg_publishes_total ${publishes}

# HELP msg_connections_active Connections
# TYPE msg_connections_active gauge
msg_connections_active 3
`;
}

/** A thread that tells what a test says. */
class PlayedThread implements ReadThread {
  readonly number: number;
  readonly #ended = Promise.withResolvers<void>();
  readonly ended = this.#ended.promise;
  told: ThreadSeries = { text: seriesText(5), lag: LAG, waitingBytes: 64 };
  cpu: number | undefined;
  heap: number | undefined;
  isBusy = false;

  constructor(number: number, cpu?: number, heap?: number) {
    this.number = number;
    this.cpu = cpu;
    this.heap = heap;
  }
  series(): Promise<ThreadSeries> {
    return this.isBusy ? new Promise(() => {}) : Promise.resolve(this.told);
  }
  cpuSeconds(): Promise<number> | undefined {
    return this.cpu === undefined ? undefined : Promise.resolve(this.cpu);
  }
  heapBytes(): Promise<number> | undefined {
    if (this.isBusy) return Promise.reject(new Error('it is not running'));
    return this.heap === undefined ? undefined : Promise.resolve(this.heap);
  }
  async end(): Promise<void> {
    this.#ended.resolve();
    await this.ended;
  }
}

function play(...threads: PlayedThread[]) {
  const clock = new ManualClock();
  const snapshots = new ThreadSnapshots(clock);
  for (const thread of threads) snapshots.follow(thread);
  const read = (serves: (number: number) => boolean = () => true) => snapshots.read(serves);
  return { clock, snapshots, read };
}

test('figures of the threads that serve are those of the last read', async () => {
  const [first, second] = [new PlayedThread(1, 2, 100), new PlayedThread(2, 3, 200)];
  const { snapshots, read } = play(first, second);
  await read(number => number === 1);
  expect(snapshots.running).toMatchObject([
    { number: 1, lag: LAG, waitingBytes: 64, cpuSeconds: 2, heapBytes: 100 },
    { number: 2, lag: undefined, waitingBytes: undefined, cpuSeconds: undefined, heapBytes: undefined },
  ]);
  expect(snapshots.cpuSeconds).toEqual(new Map([[1, 2]]));
  await read();
  expect(snapshots.cpuSeconds).toEqual(
    new Map([
      [1, 2],
      [2, 3],
    ]),
  );
});

test('what Node.js cannot tell is absent, not 0', async () => {
  const { snapshots, read } = play(new PlayedThread(1));
  await read();
  expect(snapshots.running).toMatchObject([{ cpuSeconds: undefined, heapBytes: undefined, lag: LAG }]);
  expect(snapshots.cpuSeconds.size).toBe(0);
});

test('a thread that does not answer within a second keeps its last figures, but for its processor time', async () => {
  const thread = new PlayedThread(1, 2, 100);
  const { clock, snapshots, read } = play(thread);
  await read();
  thread.isBusy = true;
  thread.cpu = 9;
  let hasRead = false;
  const reading = read().then(() => {
    hasRead = true;
  });
  await clock.advance(999);
  expect(hasRead).toBe(false);
  await clock.advance(1);
  await reading;
  expect(snapshots.running).toMatchObject([{ lag: LAG, cpuSeconds: 9, heapBytes: 100 }]);
  expect(snapshots.series.map(writeMetrics).join('')).toContain('msg_publishes_total 5');
});

test('what a thread counted stays when it ends, its processor time too, and the next one of its number adds to it', async () => {
  const thread = new PlayedThread(1, 2.5, 100);
  const { snapshots, read } = play(thread);
  await read();
  await thread.end();
  expect(snapshots.running).toEqual([]);
  const [ofEnded, ...others] = snapshots.series;
  expect(others).toEqual([]);
  expect(writeMetrics(ofEnded ?? new Map())).toBe(
    '# HELP msg_publishes_total Publishes\n# TYPE msg_publishes_total counter\nmsg_publishes_total 5\n',
  );
  expect(snapshots.cpuSeconds).toEqual(new Map([[1, 2.5]]));
  const next = new PlayedThread(1, 0.25);
  snapshots.follow(next);
  expect(snapshots.cpuSeconds).toEqual(new Map([[1, 2.5]]));
  await read();
  expect(snapshots.cpuSeconds).toEqual(new Map([[1, 2.75]]));
});

test('an answer that comes after the end of its thread changes nothing', async () => {
  const thread = new PlayedThread(1, 2);
  const { snapshots, read } = play(thread);
  const late = Promise.withResolvers<ThreadSeries>();
  thread.series = () => late.promise;
  const reading = read();
  await thread.end();
  late.resolve({ text: seriesText(7), lag: LAG, waitingBytes: 0 });
  await reading;
  expect(snapshots.running).toEqual([]);
  expect(snapshots.series.map(writeMetrics).join('')).not.toContain('msg_publishes_total');
});

test('a sum of fractions stays when a thread ends and another one takes its place', async () => {
  const threads = [new PlayedThread(1), new PlayedThread(2), new PlayedThread(3)];
  const { snapshots, read } = play(...threads);
  for (const [index, thread] of threads.entries())
    thread.told = { ...thread.told, text: seriesText([0.1, 0.2, 0.3][index] ?? 0) };
  await read();
  const total = (): number => {
    const text = writeMetrics(sumMetrics(new Map(), snapshots.series));
    return Number(/^msg_publishes_total (\S+)$/m.exec(text)?.[1]);
  };
  expect(total()).toBe(0.1 + 0.2 + 0.3);
  // 0.1 + (0.2 + 0.3) is less.
  for (const number of [2, 3, 1]) {
    await threads[number - 1]?.end();
    expect(total()).toBe(0.1 + 0.2 + 0.3);
    const successor = new PlayedThread(number);
    successor.told = { ...successor.told, text: seriesText(0) };
    snapshots.follow(successor);
    await read();
    expect(total()).toBe(0.1 + 0.2 + 0.3);
  }
});
