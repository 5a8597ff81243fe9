import { expect, test } from 'vitest';
import { Metrics } from '#src/observability/metrics.ts';

const metricsOf = () =>
  new Metrics({
    channels: async () => [],
    subscribers: () => [],
    deadLetters: async () => [],
    keyring: () => ({ backend: 'file', version: 1, activeKeyAgeSeconds: 2, watchUp: true }),
  });

const linesOf = async (metrics: Metrics, name: string) =>
  (await metrics.render()).split('\n').filter(line => line.startsWith(name));

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
