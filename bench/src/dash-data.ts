// npm run bench -- dash-data [--runs 9]: mapping an answer of Prometheus to rows beside parsing its JSON; an item whose rows
// are kept beside one whose rows stand in the document; an item that is asked anew beside a bare fetch of the same answer.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FileStore, openDocumentEngine } from '@msg/dash';
import { AllowedOrigins, HttpServer, tidyRows } from '@msg/dash/internal';
import { closeServer } from '@msg/testkit';
import { median, spread } from './statistics.ts';

const SERIES = 20;
const POINTS = 1_000;
/** Times that one measurement of the mapping repeats its work, so that it is longer than the resolution of the clock. */
const REPEATED = 5;

/** Runs the three measurements. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { runs: { type: 'string', default: '9' } } });
  const runs = Number(values.runs);
  await mapping(runs);
  await items(runs);
}

const answer = JSON.stringify({
  status: 'success',
  data: {
    resultType: 'matrix',
    result: Array.from({ length: SERIES }, (_, series) => ({
      metric: {
        __name__: 'http_requests_total',
        instance: `10.0.0.${series}:8000`,
        job: 'api',
        region: 'eu',
      },
      values: Array.from({ length: POINTS }, (_, point) => [
        1_767_322_800 + point * 15,
        String(series + point / 7),
      ]),
    })),
  },
});

async function mapping(runs: number): Promise<void> {
  const { result } = JSON.parse(answer).data;
  const map = (): unknown =>
    tidyRows([{ name: undefined, answer: { resultType: 'matrix', result, warnings: [] } }], undefined);
  const [mapped, parsed] = await pairs(
    runs,
    repeated(map),
    repeated(() => JSON.parse(answer)),
  );
  console.log(`rows of ${SERIES} series × ${POINTS} points: ${spread(mapped, 2)} ms`);
  console.log(`  JSON.parse of the same ${(answer.length / 1_024).toFixed(0)} KiB: ${spread(parsed, 2)} ms`);
  console.log(`  ratio ${ratio(mapped, parsed)} (bound 3.00)`);
}

const repeated = (work: () => unknown) => async (): Promise<void> => {
  for (let time = 0; time < REPEATED; time++) work();
};

async function items(runs: number): Promise<void> {
  const rows = Array.from({ length: 1_000 }, (_, index) => ({ region: `region ${index}`, p95: index / 3 }));
  const body = JSON.stringify(rows);
  const upstream = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(body);
  });
  await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const root = await mkdtemp(join(tmpdir(), 'bench-data-'));
  const documents = {
    kept: { type: 'http', config: { url: origin, cache: 3_600 } },
    anew: { type: 'http', config: { url: origin, cache: 0 } },
    stored: { type: 'static', config: { rows } },
  };
  for (const [id, connection] of Object.entries(documents))
    await writeFile(join(root, `${id}.json`), JSON.stringify(tableOf(id, connection)));
  const http = await HttpServer.listen({
    served: { store: new FileStore({ root }) },
    engine: openDocumentEngine(),
    queries: { allowed: new AllowedOrigins([origin]) },
    host: '127.0.0.1',
    port: 0,
  });
  const ask = (id: string, route: string) => async (): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const got = await fetch(`${http.url}/api/d/${id}/${route}`, { method: 'POST', headers, body: '{}' });
    if (!(await got.text()).includes('region 999')) throw new Error('the rows did not come');
  };
  try {
    const [cached, stored] = await pairs(runs, ask('kept', 'data'), ask('stored', 'data'));
    console.log(`a table of 1,000 kept rows, over HTTP: ${spread(cached, 2)} ms`);
    console.log(`  rows that stand in the document: ${spread(stored, 2)} ms`);
    console.log(`  ratio ${ratio(cached, stored)} (bound 1.20)`);
    const [anew, bare] = await pairs(runs, ask('anew', 'data'), async () => {
      await (await fetch(origin)).json();
    });
    console.log(
      `asked anew, over HTTP: ${spread(anew, 2)} ms, a bare fetch of the same ${spread(bare, 2)} ms`,
    );
  } finally {
    await http.stop();
    await closeServer(upstream);
    await rm(root, { recursive: true });
  }
}

const tableOf = (id: string, connection: object): object => ({
  manifest: { formatVersion: '1.0.0', id },
  connections: [{ id: 'rows', ...connection }],
  root: {
    id: 'page',
    type: 'container',
    children: [
      {
        id: 'body',
        type: 'container',
        children: [
          {
            id: 'block',
            type: 'block',
            config: { content: { id: 'table', type: 'table', config: { connectionId: 'rows' } } },
          },
        ],
      },
    ],
  },
});

/** Times of two pieces of work that alternate, in milliseconds. */
async function pairs(
  runs: number,
  left: () => Promise<void>,
  right: () => Promise<void>,
): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  for (let round = -2; round < runs; round++) {
    for (const [side, work] of [left, right].entries()) {
      const start = performance.now();
      await work();
      if (round >= 0) times[side]?.push(performance.now() - start);
    }
  }
  return times;
}

const ratio = (left: readonly number[], right: readonly number[]): string =>
  (median(left) / median(right)).toFixed(2);
