import type { JsonObject } from '#src/document/json.ts';

const TIMES = Array.from(
  { length: 7 },
  (_, hour) => `2026-01-05T${String(hour + 8).padStart(2, '0')}:00:00Z`,
);
const REGIONS = ['eu-central', 'us-east', 'ap-south'];
const ROWS: JsonObject[] = TIMES.flatMap((time, hour) =>
  REGIONS.map((region, at) => ({ time, region, ms: 120 + at * 70 + ((hour * 37 + at * 53) % 90) })),
);
const MANY: JsonObject[] = TIMES.flatMap((time, hour) =>
  Array.from({ length: 23 }, (_, at) => ({ time, region: `node-${at + 1}`, ms: at + ((hour * 7 + at) % 5) })),
);
const LIMITS: JsonObject[] = [
  { from: 150, tone: 'positive' },
  { from: 250, tone: 'caution' },
  { from: 320, tone: 'critical' },
];

const block = (id: string, title: string, type: string, config: JsonObject): JsonObject => ({
  id: `${id}-block`,
  type: 'block',
  config: { title, content: { id, type, config } },
});

const split = (id: string, kind: string, more: JsonObject = {}): JsonObject =>
  block(id, `${kind}, split`, 'chart', {
    ...{ kind, x: 'time', series: [{ field: 'ms' }], by: 'region', connectionId: 'rows', yLabel: 'ms' },
    ...more,
  });

const figure = (id: string, value: number): JsonObject =>
  block(id, `${value} ms`, 'metric', { title: 'p95', value, unit: 'ms', thresholds: LIMITS });

/** Every kind of chart split by a column, with thresholds; figures of each tone. */
export function newForms(): JsonObject {
  return {
    manifest: { formatVersion: '1.0.0', id: 'new-forms', title: 'Split and measured' },
    connections: [
      { id: 'rows', type: 'static', config: { rows: ROWS } },
      { id: 'many', type: 'static', config: { rows: MANY } },
    ],
    root: {
      id: 'page',
      type: 'container',
      children: [
        {
          id: 'figures',
          type: 'container',
          config: { grid: { columns: [1, 1, 1, 1], gap: 1 } },
          children: [figure('low', 90), figure('fine', 184), figure('near', 262), figure('over', 351)],
        },
        {
          id: 'charts',
          type: 'container',
          config: { grid: { columns: [1, 1], gap: 1 } },
          children: [
            split('lines', 'line', { thresholds: LIMITS }),
            split('bars', 'bar'),
            split('areas', 'area', { stacked: true }),
            split('dots', 'scatter', { x: 'ms', thresholds: LIMITS }),
            split('many-lines', 'line', { connectionId: 'many' }),
            block('limits', 'bar, measured', 'chart', {
              ...{ kind: 'bar', x: 'region', series: [{ field: 'ms' }], thresholds: LIMITS, yLabel: 'ms' },
              rows: REGIONS.map((region, at) => ({ region, ms: 140 + at * 110 })),
            }),
          ],
        },
      ],
    },
  };
}
