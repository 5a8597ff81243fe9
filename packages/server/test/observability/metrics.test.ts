import { MsgError } from '@msg/core';
import { systemClock } from '@msg/foundation/clock';
import { expect, test } from 'vitest';
import { AppendCounts } from '#src/append/counts.ts';
import { BUCKETS, DurationHistogram, LabelledCounter } from '#src/observability/counters.ts';
import { Metrics } from '#src/observability/metrics.ts';
import { OutboxSource } from '#src/observability/outbox-metrics.ts';
import { StoreCommands } from '#src/observability/store-commands.ts';

const FIGURES = {
  channels: 1,
  deliveries: 2,
  bytesIn: 3,
  bytesOut: 4,
  commands: 5,
  queueBytes: 6,
  slowConsumers: 7,
  insufficientStates: 8,
  recovered: 9,
  unrecoveredEpoch: 10,
  unrecoveredTrimmed: 11,
  unrecoveredAhead: 12,
  unrecoveredLimit: 13,
  waitingSubscribes: 15,
  volatileDrops: 16,
  openMessages: 17,
  mirrorBytes: 22,
  mirrorDrops: 23,
  statePatches: 18,
  stateCatchUps: 19,
  statesInFull: 20,
  statesRolledUp: 21,
};

const STORE = new StoreCommands(systemClock);

const metricsOf = (region = '', process = true) =>
  new Metrics(
    {
      node: {
        connections: () => [{ transport: 'websocket', encoding: 'json', count: 14 }],
        figures: () => FIGURES,
      },
      store: {
        seconds: STORE.seconds,
        failures: STORE.failures,
        subsystems: () => [
          ['broker', true],
          ['store', false],
        ],
      },
      api: { requests: new LabelledCounter(), seconds: new DurationHistogram(BUCKETS) },
      appends: appendCounts(),
      outbox: { outbox: new OutboxSource(), outboxVersions: { foreign: 0 } },
      apiKeys: { requests: new LabelledCounter(), secrets: () => [] },
      channels: async () => [],
      subscribers: () => [],
      deadLetters: async () => [],
      redriveJobs: () => 0,
      live: () => ({ feeds: 0, tails: 0, recordings: 0 }),
      keyring: () => ({ backend: 'file', version: 1, activeKeyAgeSeconds: 2, watchUp: true }),
    },
    { version: 'dev', region, process },
  );

const linesOf = async (metrics: Metrics, name: string) =>
  (await metrics.render()).split('\n').filter(line => line.startsWith(name));

function appendCounts(): AppendCounts {
  const counts = new AppendCounts();
  const result = { seq: 3, offset: 1, epoch: 'e', status: 'streaming', size: 9, cancel: null } as const;
  const command = {
    message: 'm',
    producer: 'p',
    seq: 1,
    ops: [{ text: 'a' }, { text: 'grüß' }, { text: '' }],
  };
  counts.applied(command, { ...result, duplicates: 1 }, 0.04);
  counts.applied({ ...command, ops: [] }, { ...result, duplicates: 0 }, 0.04);
  counts.refused(new MsgError('MSG_APPEND_GAP', 'a gap'));
  counts.refused(new Error('anything'));
  return counts;
}

test('metrics of the process are left out where the program exports its own', async () => {
  expect(await linesOf(metricsOf(), 'process_cpu_seconds_total')).not.toEqual([]);
  const without = await metricsOf('', false).render();
  expect(without).not.toMatch(/^(?:process|nodejs)_/m);
  expect(without).toContain('msg_build_info');
});

test('append streams are counted by what became of requests, in bytes, and by the form of deliveries', async () => {
  expect(await linesOf(metricsOf(), 'msg_append')).toEqual(
    expect.arrayContaining([
      'msg_append_streams_open 17',
      'msg_append_requests_total{result="applied"} 1',
      'msg_append_requests_total{result="heartbeat"} 1',
      'msg_append_requests_total{result="gap"} 1',
      'msg_append_requests_total{result="refused"} 1',
      'msg_append_ops_total 2',
      'msg_append_bytes_total 6',
      'msg_append_deliveries_total{form="patch"} 18',
      'msg_append_deliveries_total{form="catch_up"} 19',
      'msg_append_deliveries_total{form="full"} 20',
      'msg_append_deliveries_total{form="rolled_up"} 21',
      'msg_append_wait_seconds_bucket{le="0.05"} 1',
      'msg_append_wait_seconds_count 1',
    ]),
  );
});

test('dropped publications are counted by reason', async () => {
  expect(await linesOf(metricsOf(), 'msg_publications_dropped_total')).toEqual([
    'msg_publications_dropped_total{reason="volatile"} 16',
  ]);
});

test('durations are rendered as a cumulative histogram', async () => {
  const metrics = metricsOf();
  for (const seconds of [0.001, 0.005, 0.3, 100]) metrics.published('public:a.b', true, seconds);
  const name = 'msg_publish_duration_seconds';
  const label = 'channel_visibility="public"';
  expect(await linesOf(metrics, name)).toEqual([
    ...['0.005', '0.01', '0.025', '0.05', '0.1', '0.25'].map(le => `${name}_bucket{le="${le}",${label}} 2`),
    ...['0.5', '1', '2.5', '5', '10'].map(le => `${name}_bucket{le="${le}",${label}} 3`),
    `${name}_bucket{le="+Inf",${label}} 4`,
    `${name}_sum{${label}} 100.306`,
    `${name}_count{${label}} 4`,
  ]);
});

test('counters keep growing over scrapes, and unknown names share one label', async () => {
  const metrics = metricsOf();
  metrics.published('nonsense', false, 0);
  await metrics.render();
  metrics.published('nonsense', false, 0);
  expect(await linesOf(metrics, 'msg_publishes_total')).toEqual([
    'msg_publishes_total{channel_visibility="unknown",result="failure"} 2',
  ]);
  expect(await linesOf(metrics, 'msg_keyring_backend')).toContain('msg_keyring_backend{backend="file"} 1');
});

test('what the realtime node counts is shown as it is, however often it is read', async () => {
  const metrics = metricsOf();
  await metrics.render();
  const lines = (await metrics.render()).split('\n');
  for (const line of [
    'msg_subscribed_channels 1',
    'msg_deliveries_total 2',
    'msg_received_bytes_total 3',
    'msg_sent_bytes_total 4',
    'msg_client_commands_total 5',
    'msg_queue_bytes 6',
    'msg_slow_consumer_disconnects_total 7',
    'msg_insufficient_states_total 8',
    'msg_recoveries_total{outcome="recovered"} 9',
    'msg_recoveries_total{outcome="epoch"} 10',
    'msg_recoveries_total{outcome="trimmed"} 11',
    'msg_recoveries_total{outcome="ahead"} 12',
    'msg_recoveries_total{outcome="limit"} 13',
    'msg_connections_active{transport="websocket",encoding="json"} 14',
    'msg_build_info{version="dev"} 1',
  ]) {
    expect(lines).toContain(line);
  }
});

test('commands to the store are timed, failures counted, but for scripts that are sent again', async () => {
  const metrics = metricsOf();
  const around = STORE.around((_command, work) => work());
  expect(await around('GET', async () => 'value')).toBe('value');
  await expect(around('GET', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  const unknown = () => Promise.reject(new Error('NOSCRIPT No matching script.'));
  await expect(around('EVALSHA', unknown)).rejects.toThrow('NOSCRIPT');
  const lines = (await metrics.render()).split('\n');
  for (const line of [
    'msg_store_command_duration_seconds_count{command="GET"} 2',
    'msg_store_command_duration_seconds_count{command="EVALSHA"} 1',
    'msg_store_command_failures_total{command="GET"} 1',
    'msg_subsystem_up{subsystem="broker"} 1',
    'msg_subsystem_up{subsystem="store"} 0',
  ]) {
    expect(lines).toContain(line);
  }
  expect(lines.some(line => line.startsWith('msg_store_command_failures_total{command="EVALSHA"'))).toBe(
    false,
  );
});

test('a region is a label of every series', async () => {
  const metrics = metricsOf('eu-1');
  metrics.published('public:a.b', true, 0.1);
  const series = (await metrics.render()).split('\n').filter(line => line !== '' && !line.startsWith('#'));
  expect(series.filter(line => !line.includes('region="eu-1"'))).toEqual([]);
});
