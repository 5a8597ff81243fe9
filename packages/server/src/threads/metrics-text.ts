import type { LoopLag } from './loop-lag.ts';

/** One family of series in the Prometheus text format. */
interface Family {
  /** The lines `# HELP` and `# TYPE`. */
  readonly head: readonly string[];
  readonly type: string;
  /** Values by the text of name and labels, in the order of the text. */
  readonly series: Map<string, number>;
}

/** Metrics by the name of their family. */
export type MetricsText = ReadonlyMap<string, Family>;

/** Reads metrics in the Prometheus text format, as the exporting library writes it. */
export function readMetrics(text: string): MetricsText {
  const families = new Map<string, Family>();
  let head: string[] = [];
  let current: Family | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith('# HELP ')) head = [line];
    else if (line.startsWith('# TYPE ')) {
      const [, , name = '', type = ''] = line.split(' ');
      current = { head: [...head, line], type, series: new Map() };
      families.set(name, current);
    } else if (line !== '' && current !== undefined) {
      const end = line.lastIndexOf(' ');
      current.series.set(line.slice(0, end), Number(line.slice(end + 1)));
    }
  }
  return families;
}

type Join = (value: number, another: number) => number;

const sum: Join = (value, another) => value + another;

/** Gauges of what each thread has of its own, and how they make one; main tells all other gauges for the whole process. */
const JOINED_GAUGES: Readonly<Record<string, Join>> = {
  msg_connections_active: sum,
  msg_subscribers_active: sum,
  msg_subscribed_channels: sum,
  msg_subscribes_waiting: sum,
  msg_queue_bytes: sum,
  msg_append_mirror_bytes: sum,
  msg_console_feeds: sum,
  msg_console_tails: sum,
  msg_console_recordings: sum,
  msg_dlq_jobs_running: sum,
  msg_api_key_last_used_seconds: Math.max,
};

function isCounted({ type }: Family): boolean {
  return type === 'counter' || type === 'histogram';
}

/** Counters and histograms alone: what stays of a thread that has ended. */
export function countersOf(metrics: MetricsText): MetricsText {
  return new Map([...metrics].filter(([, family]) => isCounted(family)));
}

function joinOf(name: string, family: Family): Join | undefined {
  return isCounted(family) ? sum : JOINED_GAUGES[name];
}

/** One view of a process: counters and histograms are summed, gauges of what threads have joined; every other gauge is main's. */
export function sumMetrics(main: MetricsText, others: readonly MetricsText[]): MetricsText {
  const whole = new Map<string, Family>();
  for (const [name, family] of main) whole.set(name, { ...family, series: new Map(family.series) });
  for (const [name, family] of others.flatMap(metrics => [...metrics])) {
    const join = joinOf(name, family);
    if (join === undefined) continue;
    const into = whole.get(name) ?? { ...family, series: new Map<string, number>() };
    whole.set(name, into);
    for (const [series, value] of family.series)
      into.series.set(series, join(into.series.get(series) ?? 0, value));
  }
  return whole;
}

const LAG_OF_PROCESS = /^nodejs_eventloop_lag_(?<statistic>min|max|mean|p50|p90|p99)_seconds$/;

/** The process is as late as its latest thread. */
export function raiseLag(metrics: MetricsText, lags: readonly LoopLag[]): MetricsText {
  return new Map(
    Array.from(metrics, ([name, family]) => {
      const statistic = LAG_OF_PROCESS.exec(name)?.groups?.['statistic'] as keyof LoopLag | undefined;
      if (statistic === undefined) return [name, family];
      const late = lags.map(lag => lag[statistic]);
      const raised = Array.from(family.series, ([key, value]) => [key, Math.max(value, ...late)] as const);
      return [name, { ...family, series: new Map(raised) }];
    }),
  );
}

/** The metrics in the Prometheus text format. */
export function writeMetrics(metrics: MetricsText): string {
  const families = [...metrics.values()].map(({ head, series }) =>
    [...head, ...Array.from(series, ([name, value]) => `${name} ${valueText(value)}`)].join('\n'),
  );
  return `${families.join('\n\n')}\n`;
}

function valueText(value: number): string {
  if (Number.isNaN(value)) return 'Nan';
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}
