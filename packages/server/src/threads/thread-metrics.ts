import { getHeapStatistics } from 'node:v8';
import { systemClock } from '@msg/foundation/clock';
import { LabelledCounter, type Series } from '../observability/counters.ts';
import { type CounterExport, exportCounters } from '../observability/export-counters.ts';
import { exportGauge, exportNumber } from '../observability/export-gauge.ts';
import { Registry } from '../observability/prometheus.ts';
import { type LoopLag, LoopLagMeter } from './loop-lag.ts';
import { type MetricsText, raiseLag, readMetrics, sumMetrics, writeMetrics } from './metrics-text.ts';
import type { SessionThread } from './session-thread.ts';
import { THREAD_END_CAUSES } from './supervisor.ts';
import type { ThreadServers } from './thread-servers.ts';
import { secondsOf, type ThreadSnapshot, ThreadSnapshots } from './thread-snapshots.ts';
import type { ThreadTable } from './thread-table.ts';

/** The label of the thread that has the streams. */
const MAIN = 'main';

/** What the metrics of a process with threads are made of. */
export interface ThreadMetricsParts {
  readonly threads: number;
  /** A label of every series; empty without one. */
  readonly region: string;
  readonly table: ThreadTable;
  readonly servers: () => ThreadServers;
  /** The series of main's own service. */
  readonly ofMain: () => Promise<string>;
}

/** Counts of the links of threads, by the number of the thread. */
interface LinkCounts {
  readonly dropped: LabelledCounter;
  readonly gaps: LabelledCounter;
  readonly missedBells: LabelledCounter;
}

type ThreadCell = readonly [labels: { readonly thread: string }, value: number];
type WaitingCell = readonly [labels: Record<'thread' | 'direction', string>, bytes: number];

/** `/metrics` of a process with threads: one view, in which no counter goes down when a thread ends (threads 6). */
export class ThreadMetrics {
  readonly #parts: ThreadMetricsParts;
  readonly #registry = new Registry();
  readonly #snapshots = new ThreadSnapshots(systemClock);
  /** Of threads that have ended. */
  readonly #links = noLinkCounts();
  readonly #lagMeter = new LoopLagMeter();
  #lagOfMain: LoopLag | undefined;

  constructor(parts: ThreadMetricsParts) {
    this.#parts = parts;
    if (parts.region !== '') this.#registry.setDefaultLabels({ region: parts.region });
    this.#exportThreads();
    this.#exportWork();
    this.#exportLinks();
  }

  /** A thread runs; when it ends, what it counted stays. */
  follow(thread: SessionThread): void {
    this.#snapshots.follow(thread);
    void thread.ended.then(() => addLink(this.#links, thread));
  }

  /** All series of the process in the Prometheus text format. */
  async render(): Promise<string> {
    const { servers, ofMain } = this.#parts;
    await this.#snapshots.read(number => servers().supervisor.isUp(number));
    this.#lagOfMain = this.#lagMeter.read();
    const main = readMetrics(await ofMain());
    const lags = this.#snapshots.running.flatMap(({ lag }) => lag ?? []);
    const whole = raiseLag(sumMetrics(main, this.#snapshots.series), lags);
    return writeMetrics(new Map([...whole, ...readMetrics(await this.#registry.metrics())]));
  }

  #exportThreads(): void {
    const { threads, table, servers } = this.#parts;
    const numbers = Array.from({ length: threads }, (_, index) => index + 1);
    const each = (value: (number: number) => number) => () =>
      numbers.map(number => [{ thread: String(number) }, value(number)] as const);
    const labels = ['thread'];
    exportNumber(this.#registry, 'msg_threads', 'Threads that hold connections', () => threads);
    exportGauge(this.#registry, {
      name: 'msg_thread_up',
      help: 'The thread serves',
      labels,
      cells: each(number => Number(servers().supervisor.isUp(number))),
    });
    exportGauge(this.#registry, {
      name: 'msg_thread_connections',
      help: 'Open connections of the thread, those of single requests included',
      labels,
      cells: each(number => table.row(number).open),
    });
    exportGauge(this.#registry, {
      name: 'msg_thread_subscriptions',
      help: 'Live subscriptions of the thread',
      labels,
      cells: () => this.#running(({ series }) => subscriptionsIn(series)),
    });
    exportGauge(this.#registry, {
      name: 'msg_thread_ring_bytes',
      help: 'Bytes that wait between main and the thread: down to the thread, up to main',
      labels: ['thread', 'direction'],
      cells: () => this.#waiting(),
    });
    exportCounters({
      registry: this.#registry,
      name: 'msg_thread_restarts_total',
      help: 'Threads that ended and were started again, by what ended them',
      labels: ['thread', 'cause'],
      counter: {
        // All from the start, so that the first end is seen as an increase.
        series: () =>
          numbers.flatMap(number => {
            const restarts = servers().supervisor.restartsOf(number);
            return THREAD_END_CAUSES.map(cause => countOf(number, restarts.get(cause) ?? 0, cause));
          }),
      },
    });
    exportCounters({
      registry: this.#registry,
      name: 'msg_thread_handover_failures_total',
      help: 'Connections that could not be handed over',
      labels,
      counter: {
        series: () => numbers.map(number => countOf(number, servers().handoverFailures.get(number) ?? 0)),
      },
    });
  }

  #waiting(): readonly WaitingCell[] {
    const down = this.#parts.servers().running.map(({ number, attached }) => {
      return [{ thread: String(number), direction: 'down' }, attached.waitingBytes] as const;
    });
    const up = this.#running(({ waitingBytes }) => waitingBytes);
    return [...down, ...up.map(([{ thread }, bytes]) => [{ thread, direction: 'up' }, bytes] as const)];
  }

  /** What main and threads need; absent where Node.js cannot tell. */
  #exportWork(): void {
    const labels = ['thread'];
    exportCounters({
      registry: this.#registry,
      name: 'msg_thread_cpu_seconds_total',
      help: 'Processor time of the thread',
      labels,
      counter: { series: () => this.#cpuSeconds().series() },
    });
    exportGauge(this.#registry, {
      name: 'msg_thread_eventloop_lag_p99_seconds',
      help: 'How late the event loop of the thread runs what is due, since the scrape before',
      labels,
      cells: () => [...ofMain(this.#lagOfMain?.p99), ...this.#running(({ lag }) => lag?.p99)],
    });
    exportGauge(this.#registry, {
      name: 'msg_thread_heap_bytes',
      help: 'Bytes of the heap of the thread that are used',
      labels,
      cells: () => [
        ...ofMain(getHeapStatistics().used_heap_size),
        ...this.#running(({ heapBytes }) => heapBytes),
      ],
    });
  }

  #cpuSeconds(): LabelledCounter {
    const seconds = new LabelledCounter();
    const main = process.threadCpuUsage?.();
    if (main !== undefined) seconds.add(MAIN, '', secondsOf(main));
    for (const [number, cpuSeconds] of this.#snapshots.cpuSeconds)
      seconds.add(String(number), '', cpuSeconds);
    return seconds;
  }

  /** Cells of the running threads that have told a value. */
  #running(value: (snapshot: ThreadSnapshot) => number | undefined): readonly ThreadCell[] {
    return this.#snapshots.running.flatMap(snapshot => cellOf(String(snapshot.number), value(snapshot)));
  }

  #exportLinks(): void {
    this.#exportLink('dropped', {
      name: 'msg_thread_dropped_total',
      help: 'Events that a thread did not get because it did not read; subscriptions were compared with their streams',
      labels: ['thread', 'kind'],
    });
    this.#exportLink('gaps', {
      name: 'msg_thread_gaps_total',
      help: 'Gaps that the thread was told of',
      labels: ['thread'],
    });
    this.#exportLink('missedBells', {
      name: 'msg_thread_missed_bells_total',
      help: 'Wake-ups between main and the thread that were lost and repaired',
      labels: ['thread'],
    });
  }

  /** Exports a count of the links: what those of ended threads had, and what those of running ones have. */
  #exportLink(count: keyof LinkCounts, metric: Pick<CounterExport, 'name' | 'help' | 'labels'>): void {
    const series = () => {
      const counts = noLinkCounts();
      for (const row of this.#links[count].series()) counts[count].add(row.first, row.second, row.count);
      for (const thread of this.#parts.servers().running) addLink(counts, thread);
      return counts[count].series();
    };
    exportCounters({ registry: this.#registry, ...metric, counter: { series } });
  }
}

/** A count of a thread, and of what second label. */
function countOf(number: number, count: number, second = ''): Series {
  return { first: String(number), second, count };
}

/** Undefined for a thread that has not answered yet. */
function subscriptionsIn(metrics: MetricsText): number | undefined {
  const counts = metrics.get('msg_subscribers_active')?.series.values();
  return counts === undefined ? undefined : [...counts].reduce((sum, count) => sum + count, 0);
}

function cellOf(thread: string, value: number | undefined): readonly ThreadCell[] {
  return value === undefined ? [] : [[{ thread }, value]];
}

function ofMain(value: number | undefined): readonly ThreadCell[] {
  return cellOf(MAIN, value);
}

function noLinkCounts(): LinkCounts {
  const [dropped, gaps, missedBells] = [new LabelledCounter(), new LabelledCounter(), new LabelledCounter()];
  return { dropped, gaps, missedBells };
}

function addLink(counts: LinkCounts, { number, attached }: SessionThread): void {
  const { gaps, publications, joins, leaves } = attached.dropped();
  const thread = String(number);
  counts.dropped.add(thread, 'publication', publications);
  counts.dropped.add(thread, 'join', joins);
  counts.dropped.add(thread, 'leave', leaves);
  counts.gaps.add(thread, '', gaps);
  counts.missedBells.add(thread, '', attached.missedBells);
}
