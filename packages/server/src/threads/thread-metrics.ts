import { systemClock } from '@msg/foundation/clock';
import { Registry } from 'prom-client';
import { LabelledCounter } from '../observability/counters.ts';
import { exportCounters, exportSum } from '../observability/export-counters.ts';
import { exportGauge, exportNumber } from '../observability/export-gauge.ts';
import { countersOf, type MetricsText, readMetrics, sumMetrics, writeMetrics } from './metrics-text.ts';
import type { SessionThread } from './session-thread.ts';
import type { ThreadServers } from './thread-servers.ts';
import type { ThreadTable } from './thread-table.ts';

/** A thread that has not answered after this time is represented by its last series. */
const WITHIN_MS = 1000;

/** What the metrics of a process with threads are made of. */
export interface ThreadMetricsParts {
  readonly threads: number;
  readonly table: ThreadTable;
  readonly servers: () => ThreadServers;
  /** The series of main's own service. */
  readonly ofMain: () => Promise<string>;
}

/** Counts of the links of threads that have ended. */
interface LinkCounts {
  readonly dropped: LabelledCounter;
  gaps: number;
  missedBells: number;
}

/** `/metrics` of a process with threads: one view, in which no counter goes down when a thread ends (threads 6). */
export class ThreadMetrics {
  readonly #parts: ThreadMetricsParts;
  readonly #registry = new Registry();
  /** The last series of each running thread. */
  readonly #last = new Map<SessionThread, MetricsText>();
  readonly #links: LinkCounts = { dropped: new LabelledCounter(), gaps: 0, missedBells: 0 };
  #ofEnded: MetricsText = new Map();

  constructor(parts: ThreadMetricsParts) {
    this.#parts = parts;
    this.#exportThreads();
    this.#exportLinks();
  }

  /** A thread runs; when it ends, what it counted stays. */
  follow(thread: SessionThread): void {
    void thread.ended.then(() => {
      this.#ofEnded = sumMetrics(this.#ofEnded, [countersOf(this.#last.get(thread) ?? new Map())]);
      this.#last.delete(thread);
      addLink(this.#links, thread);
    });
  }

  /** All series of the process in the Prometheus text format. */
  async render(): Promise<string> {
    const { servers, ofMain } = this.#parts;
    await Promise.all(servers().running.map(thread => this.#read(thread)));
    const main = readMetrics(await ofMain());
    const whole = sumMetrics(main, [this.#ofEnded, ...this.#last.values()]);
    return writeMetrics(new Map([...whole, ...readMetrics(await this.#registry.metrics())]));
  }

  async #read(thread: SessionThread): Promise<void> {
    const late = Promise.withResolvers<undefined>();
    const timer = systemClock.setTimeout(() => late.resolve(undefined), WITHIN_MS);
    const text = await Promise.race([thread.series().catch(() => undefined), late.promise]);
    systemClock.clearTimeout(timer);
    if (text !== undefined && servesStill(thread, this.#parts.servers()))
      this.#last.set(thread, readMetrics(text));
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
      cells: () =>
        Array.from(this.#last, ([{ number }, series]) => [
          { thread: String(number) },
          subscriptionsIn(series),
        ]),
    });
    exportGauge(this.#registry, {
      name: 'msg_thread_heap_bytes',
      help: 'Bytes of the heap of the thread that are used',
      labels,
      cells: () => this.#heaps(),
    });
    exportGauge(this.#registry, {
      name: 'msg_thread_ring_bytes',
      help: 'Bytes that wait for the thread',
      labels,
      cells: () =>
        servers().running.map(({ number, attached }) => [{ thread: String(number) }, attached.waitingBytes]),
    });
    exportCounters({
      registry: this.#registry,
      name: 'msg_thread_restarts_total',
      help: 'Threads that ended and were started again, by what ended them',
      labels: ['cause'],
      counter: {
        series: () => {
          const counts = new LabelledCounter();
          for (const [cause, count] of servers().supervisor.restarts) counts.add(cause, '', count);
          return counts.series();
        },
      },
    });
    exportSum(
      this.#registry,
      'msg_thread_handover_failures_total',
      'Connections that could not be handed over',
      () => servers().handoverFailures,
    );
  }

  /** Absent where Node.js cannot tell. */
  async #heaps(): Promise<(readonly [{ readonly thread: string }, number])[]> {
    const heaps = this.#parts.servers().running.map(async ({ number, worker }) => {
      const statistics = await worker.getHeapStatistics?.().catch(() => undefined);
      return statistics === undefined
        ? []
        : [[{ thread: String(number) }, statistics.used_heap_size] as const];
    });
    return (await Promise.all(heaps)).flat();
  }

  #exportLinks(): void {
    const now = (): LinkCounts => {
      const counts: LinkCounts = { dropped: new LabelledCounter(), gaps: 0, missedBells: 0 };
      for (const { first, count } of this.#links.dropped.series()) counts.dropped.add(first, '', count);
      counts.gaps = this.#links.gaps;
      counts.missedBells = this.#links.missedBells;
      for (const thread of this.#parts.servers().running) addLink(counts, thread);
      return counts;
    };
    exportCounters({
      registry: this.#registry,
      name: 'msg_thread_dropped_total',
      help: 'Events that a thread did not get because it did not read; subscriptions were compared with their streams',
      labels: ['kind'],
      counter: { series: () => now().dropped.series() },
    });
    exportSum(this.#registry, 'msg_thread_gaps_total', 'Gaps that threads were told of', () => now().gaps);
    exportSum(
      this.#registry,
      'msg_thread_missed_bells_total',
      'Wake-ups between threads that were lost and repaired',
      () => now().missedBells,
    );
  }
}

function subscriptionsIn(metrics: MetricsText): number {
  return [...(metrics.get('msg_subscribers_active')?.series.values() ?? [])].reduce(
    (sum, count) => sum + count,
    0,
  );
}

function servesStill(thread: SessionThread, servers: ThreadServers): boolean {
  return servers.running.includes(thread);
}

function addLink(counts: LinkCounts, { attached }: SessionThread): void {
  const { gaps, publications, joins, leaves } = attached.dropped();
  counts.dropped.add('publication', '', publications);
  counts.dropped.add('join', '', joins);
  counts.dropped.add('leave', '', leaves);
  counts.gaps += gaps;
  counts.missedBells += attached.missedBells;
}
