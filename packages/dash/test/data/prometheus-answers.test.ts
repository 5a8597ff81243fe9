import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { askOne, rowsOf, sourcesOf } from './asked.ts';

/**
 * Answers as Prometheus 3 writes them. The version that the other tests start tells no `infos` and stores native histograms
 * only when it scrapes them.
 */
const LEFT_OUT = 'Native histograms are left out; use histogram_quantile.';
const INFO =
  'PromQL info: metric might not be a counter, name does not end in _total/_sum/_count/_bucket: "load" (1:6)';
const WARNING = 'PromQL warning: encountered a mix of histograms and floats for aggregation (1:1)';
const HISTOGRAM = {
  count: '12',
  sum: '3.5',
  buckets: [
    [0, '0.1', '0.2', '5'],
    [0, '0.2', '0.4', '7'],
  ],
};

let server: Server;
let url: string;
let answer: JsonObject;

beforeAll(async () => {
  server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ status: 'success', ...answer }));
  });
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise(resolve => void server.close(resolve)));

const asked = (query: JsonObject) =>
  askOne(sourcesOf({ allow: [url] }), { type: 'prometheus', config: { url } }, { expr: 'load', ...query });

it('of a range leaves native histograms out, keeps the other series, and says so', async () => {
  answer = {
    data: {
      resultType: 'matrix',
      result: [
        { metric: { __name__: 'took', job: 'a' }, histograms: [[1_767_322_800, HISTOGRAM]] },
        {
          metric: { __name__: 'took', job: 'b' },
          values: [[1_767_322_800, '4']],
          histograms: [[1_767_322_815, HISTOGRAM]],
        },
      ],
    },
  };
  const data = await asked({});
  expect(rowsOf(data)).toEqual([{ time: '2026-01-02T03:00:00Z', value: 4, series: '{job="b"}', job: 'b' }]);
  expect(data).toMatchObject({ state: 'ready', data: { warnings: [LEFT_OUT] } });
});

it('of a moment that has native histograms alone is empty, and says why', async () => {
  answer = {
    data: {
      resultType: 'vector',
      result: [{ metric: { job: 'a' }, histogram: [1_767_322_800, HISTOGRAM] }],
    },
  };
  expect(await asked({ instant: true })).toMatchObject({ state: 'empty', data: { warnings: [LEFT_OUT] } });
});

it('passes warnings and infos on, each once, cut at 300 characters', async () => {
  answer = {
    data: { resultType: 'vector', result: [] },
    warnings: [WARNING, 'x'.repeat(400)],
    infos: [INFO, INFO, 7],
  };
  const data = await asked({ instant: true });
  expect(data).toMatchObject({
    state: 'empty',
    data: { warnings: [WARNING, `${'x'.repeat(299)}…`, INFO] },
  });
});
