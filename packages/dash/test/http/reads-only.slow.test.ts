import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@msg/foundation/clock';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadCatalog } from '#src/catalog/index.ts';
import { createApp } from '#src/http/app.ts';
import { documentEngine } from '#src/reads/document-engine.ts';
import { Charts } from '#src/render/chart/charts.ts';
import { FileStore } from '#src/store/file-store.ts';
import { golden } from '../changeset/golden-changesets.ts';
import { git } from '../store/stores.ts';
import { PageServer } from '../web/page-server.ts';
import { handOver, PATIENT_MS, postTo, renaming } from '../web/reviewing.ts';
import { ask, askJson } from './serving.ts';

let server: PageServer;
beforeAll(async () => {
  server = await PageServer.start([golden()], 'git');
}, PATIENT_MS);
afterAll(() => server.stop());

/** Every path that the server answers a GET on. */
async function readPaths(): Promise<string[]> {
  const charts = new Charts(systemClock);
  const app = createApp({
    served: { store: new FileStore({ root: tmpdir() }) },
    engine: documentEngine(loadCatalog()),
    painter: charts,
    binding: { address: '127.0.0.1', host: '127.0.0.1', allowHosts: [] },
  });
  await charts.close();
  const paths = app.routes.filter(({ method }) => method === 'GET').map(({ path }) => path);
  return [...new Set(paths)];
}

/** Everything that a request could change: commits, references, index, files, proposals. */
async function stateOf(): Promise<object> {
  const names = (await readdir(server.root)).filter(name => name !== '.git').toSorted();
  const files = await Promise.all(names.map(name => readFile(join(server.root, name), 'utf8')));
  return {
    head: git(server.root, 'rev-parse', 'HEAD'),
    references: git(server.root, 'for-each-ref'),
    status: git(server.root, 'status', '--porcelain'),
    files: Object.fromEntries(names.map((name, at) => [name, files[at]])),
    proposals: (await askJson(`${server.url}/api/proposals`)).body.proposals,
  };
}

it(
  'no GET changes anything, whatever its query says',
  async () => {
    await postTo(server, '/api/patch', { id: 'golden', ops: renaming('Weekly') });
    const [newest, oldest] = await server.store.history('golden');
    const query = [{ op: 'replace', path: '/latency/config/query', value: { expr: 'x' } }];
    const open = await handOver(server, { id: 'golden', ops: query });
    const returned = await handOver(server, { id: 'golden', ops: renaming('Other') });
    await postTo(server, `/api/proposals/${returned}/return`, { comment: 'no' });
    const before = await stateOf();

    const paths = await readPaths();
    const body = encodeURIComponent(JSON.stringify(renaming('Written')));
    const queries = [
      '',
      `?at=${oldest?.revision}`,
      `?from=${oldest?.revision}&to=${newest?.revision}&undo=1`,
      '?render=all&$view=page&q=x&part=1&wait=0',
      `?id=golden&ops=${body}&proposal=${open}&create=true&expectedRevision=${newest?.revision}&comment=x&_method=POST`,
    ];
    const answered = new Set<string>();
    for (const path of paths.filter(each => !each.endsWith('/events'))) {
      for (const proposal of [open, returned]) {
        const name = path.startsWith('/static')
          ? 'page.css'
          : path.includes('/items/')
            ? 'errors.csv'
            : proposal;
        const filled = path.replace(':id', 'golden').replace(':name', name);
        for (const more of queries) {
          for (const method of ['GET', 'HEAD']) {
            const { status } = await ask(`${server.url}${filled}${more}`, {
              method,
              headers: { 'content-type': 'application/json', 'x-http-method-override': 'POST' },
            });
            if (status === 200) answered.add(path);
          }
        }
      }
    }
    expect(paths.filter(path => !answered.has(path) && !path.endsWith('/events'))).toEqual([]);
    // What is no route for a GET stays none.
    for (const path of [
      '/api/patch',
      '/api/delete',
      `/api/proposals/${open}/run`,
      `/api/proposals/${open}/return`,
    ])
      expect((await ask(`${server.url}${path}`)).status).toBe(405);
    expect(await stateOf()).toEqual(before);
    expect(server.source.asked).toBe(0);
  },
  PATIENT_MS,
);
