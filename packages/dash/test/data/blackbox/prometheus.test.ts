import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { askOne, codeOf, rowsOf, sourcesOf } from '../asked.ts';
import { PrometheusServer, type Sample } from '../prometheus-server.ts';

/** The first sample, Unix seconds: a full hour. */
const START = Date.UTC(2026, 0, 2, 3) / 1_000;
const EVERY = 15;
const COUNT = 241; // one hour
const REGIONS = { eu: 3, us: 5 } as const;
/** A counter that grows by its region's rate each second and starts again at a third and at two thirds. */
const counted = (rate: number, index: number): number => (index % 80) * EVERY * rate;
const BOUNDS = [0.1, 0.5, 1] as const;

function samples(): Sample[] {
  const all: Sample[] = [];
  for (let index = 0; index < COUNT; index++) {
    const at = START + index * EVERY;
    for (const [region, rate] of Object.entries(REGIONS)) {
      all.push({ metric: 'requests_total', labels: { region }, at, value: counted(rate, index) });
      all.push({ metric: 'load', labels: { region, series: 's', time: 't' }, at, value: rate + index / 8 });
    }
    for (const [place, le] of [...BOUNDS, '+Inf'].entries())
      all.push({ metric: 'took_bucket', labels: { le: String(le) }, at, value: index * 10 * (place + 1) });
    all.push({ metric: 'odd', at, value: ['NaN', '+Inf', '-Inf', 1][index % 4] ?? 0 });
  }
  return all;
}

let server: PrometheusServer;
beforeAll(async () => {
  server = await PrometheusServer.start(samples());
}, 120_000);
afterAll(() => server.stop());

const window = { from: START * 1_000, to: (START + 3_600) * 1_000 };
const iso = (seconds: number): string => `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`;
const ask = (query: JsonObject, config: JsonObject = {}, view: object = {}) =>
  askOne(
    sourcesOf({ allow: [server.url] }),
    { type: 'prometheus', config: { url: server.url, ...config } },
    query,
    { window, ...view },
  );

describe('rows of a real Prometheus', () => {
  it('are one for each point of each series of a range, as they were stored', async () => {
    const data = await ask({ expr: 'load', step: '15s', legend: 'load of {{region}}' });
    const expected = Object.entries(REGIONS).flatMap(([region, rate]) =>
      Array.from({ length: COUNT }, (_, index) => ({
        time: iso(START + index * EVERY),
        value: rate + index / 8,
        series: `load of ${region}`,
        region,
        label_series: 's',
        label_time: 't',
      })),
    );
    expect(rowsOf(data)).toEqual(expected);
    expect(data).toMatchObject({
      data: { columns: ['time', 'value', 'series', 'label_series', 'label_time', 'region'] },
    });
  });

  it('of rate are the growth of a counter, also over a reset', async () => {
    const data = await ask({ expr: 'rate(requests_total[1m])', step: '15s' });
    for (const { time, value, region } of rowsOf(data)) {
      const rate = REGIONS[region as keyof typeof REGIONS];
      const index = (Date.parse(String(time)) / 1_000 - START) / EVERY;
      // Five samples of a minute; the one after a reset is counted from zero: three of four steps grow.
      const isWhole = index >= 4;
      if (!isWhole) continue;
      const grown = [0, 1, 2, 3].map(back => counted(rate, index - back) - counted(rate, index - back - 1));
      const steps = grown.map((step, back) => (step < 0 ? counted(rate, index - back) : step));
      expect(value).toBeCloseTo(steps.reduce((sum, step) => sum + step, 0) / 60, 9);
    }
    expect(rowsOf(data).length).toBe(2 * (COUNT - 1));
  });

  it('of histogram_quantile lie in the bucket that the samples say', async () => {
    const data = await ask({ expr: 'histogram_quantile(0.5, rate(took_bucket[5m]))', instant: true });
    // The rates of the buckets are as 1 : 2 : 3 : 4, so half of all lies at the end of the second.
    expect(rowsOf(data)).toEqual([{ time: iso(START + 3_600), value: 0.5, series: '{}' }]);
  });

  it('of several queries carry the name of theirs', async () => {
    const data = await ask({
      queries: [
        { name: 'all', expr: 'sum(load)' },
        { name: 'one', expr: 'load{region="eu"}' },
      ],
      instant: true,
    });
    const time = iso(START + 3_600);
    expect(rowsOf(data)).toEqual([
      { time, value: 68, series: '{}', query: 'all' },
      {
        ...{ time, value: 33, series: '{region="eu", series="s", time="t"}', query: 'one' },
        ...{ region: 'eu', label_series: 's', label_time: 't' },
      },
    ]);
  });

  it('of a scalar and a text are one row; an empty answer has no rows', async () => {
    const time = iso(START + 3_600);
    expect(rowsOf(await ask({ expr: 'scalar(sum(load))', instant: true }))).toEqual([
      { time, value: 68, series: '{}' },
    ]);
    expect(rowsOf(await ask({ expr: '"12"', instant: true }))).toEqual([{ time, value: '12', series: '{}' }]);
    expect(await ask({ expr: 'nothing_of_this_name' })).toMatchObject({ state: 'empty', window });
  });

  it('have null for values that are not numbers', async () => {
    const rows = rowsOf(await ask({ expr: 'odd', step: '15s' }));
    expect(rows.slice(0, 4).map(({ value }) => value)).toEqual([null, null, null, 1]);
  });

  it('come at the step that fits the width of the item, over a span that is aligned to it', async () => {
    const stepOf = async (width: number, view: object = {}) => {
      const rows = rowsOf(await ask({ expr: 'sum(load)' }, {}, { width, ...view }));
      return (Date.parse(String(rows[1]?.['time'])) - Date.parse(String(rows[0]?.['time']))) / 1_000;
    };
    expect(await stepOf(600)).toBe(15); // 12 s for 300 points, no closer than the scrapes
    expect(await stepOf(300)).toBe(30);
    expect(await stepOf(20)).toBe(120); // never under 50 points
    const odd = { from: window.from + 7_001, to: window.to - 3_000 };
    const data = await ask({ expr: 'sum(load)' }, {}, { width: 300, window: odd });
    expect(data).toMatchObject({ window: { from: window.from, to: window.to - 30_000 } });
  });

  it('know the step and the span by the names that Grafana gave them', async () => {
    const vector = (name: string) =>
      ask({ expr: `vector(${name})`, instant: true, range: '2h', step: '30s' });
    expect(rowsOf(await vector('$__range_s'))).toMatchObject([{ value: 7_200 }]);
    expect(rowsOf(await vector('$__range_ms'))).toMatchObject([{ value: 7_200_000 }]);
    expect(rowsOf(await vector('$__interval_ms'))).toMatchObject([{ value: 30_000 }]);
    const rated = await ask({ expr: 'rate(requests_total[$__rate_interval])', step: '15s' });
    expect(rated).toMatchObject({ asked: { queries: [{ expr: 'rate(requests_total[60s])' }] } });
    const longer = await ask({ expr: 'x[$__rate_interval] $__interval $__other', step: '5m' });
    expect(codeOf(longer)).toBe('QUERY_FAILED');
    const slow = await ask({ expr: 'rate(load[$__rate_interval])', step: '5m' }, { scrapeInterval: '1m' });
    expect(slow).toMatchObject({ asked: { queries: [{ expr: 'rate(load[360s])' }] } });
  });

  it('are at most 11,000 for each series, and more are refused before anything is asked', async () => {
    const spanOf = (points: number) => ({ from: window.from, to: window.from + (points - 1) * 1_000 });
    const most = await ask({ expr: 'vector(1)', step: '1s' }, {}, { window: spanOf(11_000) });
    expect(rowsOf(most)).toHaveLength(11_000);
    const more = await ask({ expr: 'vector(1)', step: '1s' }, {}, { window: spanOf(11_001) });
    expect(more).toMatchObject({ state: 'error', error: { code: 'QUERY_INVALID' } });
  });

  it('that Prometheus refuses are QUERY_FAILED with its reason', async () => {
    expect(await ask({ expr: 'sum(' })).toMatchObject({
      error: {
        code: 'QUERY_FAILED',
        details: { errorType: 'bad_data', reason: expect.stringContaining('parse error') },
      },
    });
  });

  it('above 50,000 are cut, and the answer says so', async () => {
    const expr = [1, 2, 3, 4, 5].map(name => `label_replace(vector(1), "n", "${name}", "", "")`).join(' or ');
    const data = await ask(
      { expr, step: '1s' },
      {},
      { window: { from: window.from, to: window.from + 10_500_000 } },
    );
    expect(rowsOf(data)).toHaveLength(50_000);
    expect(data).toMatchObject({ data: { truncated: true } });
  });
});
