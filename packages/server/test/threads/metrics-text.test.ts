import { expect, test } from 'vitest';
import { countersOf, raiseLag, readMetrics, sumMetrics, writeMetrics } from '#src/threads/metrics-text.ts';

const MAIN = `# HELP msg_publishes_total Publishes
# TYPE msg_publishes_total counter
msg_publishes_total{result="success"} 1

# HELP msg_connections_active Client connections
# TYPE msg_connections_active gauge
msg_connections_active{transport="websocket"} 0

# HELP msg_channels_active Channels
# TYPE msg_channels_active gauge
msg_channels_active{state="open"} 3

# HELP msg_rpc_duration_seconds RPC latency
# TYPE msg_rpc_duration_seconds histogram
`;
const THREAD = `# HELP msg_publishes_total Publishes
# TYPE msg_publishes_total counter
msg_publishes_total{result="success"} 5
msg_publishes_total{result="failure"} 2

# HELP msg_connections_active Client connections
# TYPE msg_connections_active gauge
msg_connections_active{transport="websocket"} 7

# HELP msg_channels_active Channels
# TYPE msg_channels_active gauge
msg_channels_active{state="open"} 3

# HELP msg_rpc_duration_seconds RPC latency
# TYPE msg_rpc_duration_seconds histogram
msg_rpc_duration_seconds_bucket{le="0.005",method="Publish"} 4
msg_rpc_duration_seconds_sum{method="Publish"} 0.25
`;

test('metrics are written as they were read', () => {
  expect(writeMetrics(readMetrics(THREAD))).toBe(THREAD);
});

test('counters, histograms and what threads hold are summed; other gauges are those of main', () => {
  const sum = writeMetrics(sumMetrics(readMetrics(MAIN), [readMetrics(THREAD), readMetrics(THREAD)]));
  const rows = sum.split('\n').filter(row => row !== '' && !row.startsWith('#'));
  expect(rows).toEqual([
    'msg_publishes_total{result="success"} 11',
    'msg_publishes_total{result="failure"} 4',
    'msg_connections_active{transport="websocket"} 14',
    'msg_channels_active{state="open"} 3',
    'msg_rpc_duration_seconds_bucket{le="0.005",method="Publish"} 8',
    'msg_rpc_duration_seconds_sum{method="Publish"} 0.5',
  ]);
});

test('of a thread that has ended the counters stay and the gauges go', () => {
  const ended = countersOf(readMetrics(THREAD));
  const sum = sumMetrics(readMetrics(MAIN), [ended]);
  expect(sum.get('msg_publishes_total')?.series.get('msg_publishes_total{result="success"}')).toBe(6);
  expect([...(sum.get('msg_connections_active')?.series.values() ?? [])]).toEqual([0]);
});

test('a time is the latest of all threads', () => {
  const used = (seconds: number) =>
    readMetrics(`# HELP msg_api_key_last_used_seconds Use
# TYPE msg_api_key_last_used_seconds gauge
msg_api_key_last_used_seconds{name="till",slot="1"} ${seconds}
`);
  const sum = writeMetrics(sumMetrics(used(0), [used(20), used(10)]));
  expect(sum).toContain('msg_api_key_last_used_seconds{name="till",slot="1"} 20');
});

test('the process is as late as its latest thread', () => {
  const main = readMetrics(`# HELP nodejs_eventloop_lag_p99_seconds Lag
# TYPE nodejs_eventloop_lag_p99_seconds gauge
nodejs_eventloop_lag_p99_seconds{region="eu"} 0.2

# HELP nodejs_eventloop_lag_mean_seconds Lag
# TYPE nodejs_eventloop_lag_mean_seconds gauge
nodejs_eventloop_lag_mean_seconds{region="eu"} 0.2
`);
  const lag = { min: 0, max: 0, mean: 0.1, p50: 0, p90: 0, p99: 0 };
  const raised = writeMetrics(raiseLag(main, [lag, { ...lag, p99: 0.7 }]));
  expect(raised).toContain('nodejs_eventloop_lag_p99_seconds{region="eu"} 0.7\n');
  expect(raised).toContain('nodejs_eventloop_lag_mean_seconds{region="eu"} 0.2\n');
  // An embedder that exports the figures of its process itself has none of them here.
  expect(raiseLag(new Map(), [lag]).size).toBe(0);
});
