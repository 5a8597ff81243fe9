import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { loadCatalog } from '#src/catalog/index.ts';
import { canonicalBytes } from '#src/document/canonical.ts';
import type { DashError } from '#src/errors.ts';
import { HttpServer } from '#src/http/server.ts';
import { type DocumentEngine, documentEngine } from '#src/reads/document-engine.ts';
import type { DocumentStore } from '#src/store/contract.ts';
import { FileStore } from '#src/store/file-store.ts';
import { teamPulse } from '../changeset/team-pulse.ts';
import { temporaryRoots } from '../store/stores.ts';
import { ask, askJson, post } from './serving.ts';

const id = 'team-pulse';
const root = temporaryRoots();
const engine = documentEngine(loadCatalog());
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map(stop => stop()));
});

/** A server in this process; `failures` holds what it told of. */
async function serving(store: DocumentStore, resolver: DocumentEngine = engine, clock: Clock = systemClock) {
  const failures: string[] = [];
  const onFailure = (error: DashError, request: string) => void failures.push(`${error.code} ${request}`);
  const server = await HttpServer.listen({
    served: { store },
    engine: resolver,
    host: 'localhost',
    port: 0,
    onFailure,
    clock,
  });
  stops.push(() => server.stop());
  return { url: server.url, failures, server };
}

/** A store on a disk whose calls fail with something that is no coded error. */
class BrokenStore extends FileStore {
  override list(): Promise<string[]> {
    return Promise.reject(new Error('secret words of a document'));
  }
  override exclusively<T>(): Promise<T> {
    return Promise.reject(new TypeError('secret words of a document'));
  }
}

/** A store without revisions, as a library user may bring one. */
class PlainStore extends FileStore {
  override readonly capabilities = new Set<never>();
  override async load(name: string) {
    return { bytes: (await super.load(name)).bytes };
  }
  override exclusively<T>(name: string, work: Parameters<DocumentStore['exclusively']>[1]): Promise<T> {
    return super.exclusively(name, document =>
      work({
        ...document,
        load: async () => ({ bytes: (await document.load()).bytes }),
        save: async (bytes, { expectedRevision: _, ...options } = {}) => {
          await document.save(bytes, options);
          return undefined;
        },
        delete: () => document.delete(),
        exists: () => document.exists(),
      }),
    ) as Promise<T>;
  }
}

async function stored(): Promise<string> {
  const directory = await root();
  await writeFile(join(directory, `${id}.json`), canonicalBytes(teamPulse()));
  return directory;
}

const retitle = [{ op: 'replace', path: '/$manifest/title', value: 'Weekly' }];

describe('an unexpected failure', () => {
  it('is an internal error that does not show its cause', async () => {
    const { url, failures } = await serving(new BrokenStore({ root: await stored() }));
    const listed = await askJson(`${url}/api/dashboards`);
    expect(listed).toMatchObject({ status: 500, body: { code: 'SERVE_INTERNAL', details: {} } });
    const committed = await post(`${url}/api/patch`, { id, ops: retitle });
    expect(committed).toMatchObject({ status: 500, body: { code: 'STORAGE_INTERNAL', details: {} } });
    const page = await ask(url);
    expect(page.status).toBe(500);
    for (const shown of [JSON.stringify(listed), JSON.stringify(committed), page.text, failures.join()]) {
      expect(shown).not.toContain('secret words');
    }
    expect(failures).toEqual([
      'SERVE_INTERNAL GET /api/dashboards',
      'STORAGE_INTERNAL POST /api/patch',
      'SERVE_INTERNAL GET /',
    ]);
  });

  it('of the resolver leaves the document as it was', async () => {
    const store = new FileStore({ root: await stored() });
    const before = await store.revision(id);
    const resolve = (): never => {
      throw new RangeError('secret words of a document');
    };
    const { url } = await serving(store, { ...engine, resolve });
    expect(await post(`${url}/api/patch`, { id, ops: retitle })).toMatchObject({
      status: 500,
      body: { code: 'RESOLVE_INTERNAL', details: {} },
    });
    expect(await store.revision(id)).toBe(before);
  });
});

it('a stop ends a request that takes longer than five seconds', async () => {
  const clock = new ManualClock();
  const { url, server } = await serving(new FileStore({ root: await stored() }), engine, clock);
  const socket = connect(Number(new URL(url).port), 'localhost');
  await once(socket, 'connect');
  socket.write(
    'POST /api/patch HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 99\r\n\r\n{',
  );
  await once(socket, 'data');
  const closed = once(socket, 'close').then(() => 'closed');
  const stopped = server.stop();
  await clock.advance(4999);
  expect(await Promise.race([closed, Promise.resolve('open')])).toBe('open');
  await clock.advance(1);
  expect(await closed).toBe('closed');
  await stopped;
  stops.pop();
});

it('a sender that leaves in the middle of a body is not a failure of the server', async () => {
  const { url, failures } = await serving(new FileStore({ root: await stored() }));
  const socket = connect(Number(new URL(url).port), 'localhost');
  await once(socket, 'connect');
  socket.write(
    'POST /api/patch HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 99\r\n\r\n{',
  );
  await once(socket, 'data');
  socket.resetAndDestroy();
  // Later requests are answered after the end of the earlier one was noticed.
  for (let n = 0; n < 5; n++) expect((await ask(`${url}/healthz`)).status).toBe(200);
  expect(failures).toEqual([]);
});

it('a number that storing would alter is refused by dry run and commit, and one that is held is not', async () => {
  const store = new FileStore({ root: await stored() });
  const before = await store.revision(id);
  const { url } = await serving(store);
  const send = (route: string, number: string) =>
    askJson(`${url}/api/${route}`, {
      method: 'POST',
      body: `{"id":"${id}","ops":[{"op":"replace","path":"/$variables/1/default","value":${number}}]}`,
    });
  for (const route of ['validate', 'patch']) {
    for (const number of ['1e400', '-1e400', '9007199254740993', '1e-400', `1e${'9'.repeat(1_000_000)}`]) {
      expect(await send(route, number)).toMatchObject({ status: 422, body: { code: 'PATCH_INVALID' } });
    }
    expect(await send(route, '1.0e1')).toMatchObject({ status: 200 });
    expect(await send(route, '0e400')).toMatchObject({ status: 200 });
    if (route === 'validate') expect(await store.revision(id)).toBe(before);
  }
});

it('an override that nests too deep is a fault of its sender', async () => {
  const { url, failures } = await serving(new FileStore({ root: await stored() }));
  const body = `{"team":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  const answer = await askJson(`${url}/api/d/${id}/resolve`, { method: 'POST', body });
  expect(answer).toMatchObject({ status: 422, body: { code: 'RESOLVE_DOCUMENT_INVALID' } });
  expect(failures).toEqual([]);
});

it('a document with the lock of another process is busy', async () => {
  const directory = await stored();
  const { url } = await serving(new FileStore({ root: directory, lockWaitMs: 50 }));
  const answer = await new FileStore({ root: directory }).exclusively(id, () =>
    ask(`${url}/api/patch`, { method: 'POST', body: JSON.stringify({ id, ops: retitle }) }),
  );
  expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(JSON.parse(answer.text)).toMatchObject({ code: 'STORAGE_BUSY', details: { id } });
});

it('P16: a store without revisions commits without a token and refuses to expect one', async () => {
  const store = new PlainStore({ root: await stored() });
  const { url } = await serving(store);
  const tried = await post(`${url}/api/validate`, { id, ops: retitle });
  expect(tried).toMatchObject({ status: 200, body: { ok: true } });
  expect(tried.body).not.toHaveProperty('baseRevision');
  expect(await post(`${url}/api/patch`, { id, ops: retitle, expectedRevision: 'x' })).toMatchObject({
    status: 422,
    body: { code: 'CHANGESET_REVISION_UNSUPPORTED', details: { id } },
  });
  const done = await post(`${url}/api/patch`, { id, ops: retitle });
  expect(done).toMatchObject({ status: 200, body: { result: { manifest: { title: 'Weekly' } } } });
  expect(done.body).not.toHaveProperty('revision');
  expect(new TextDecoder().decode((await store.load(id)).bytes)).toContain('Weekly');
});

it('required secrets are required of every resolution', async () => {
  const document = teamPulse();
  document['connections'] = [
    ...(document['connections'] as []),
    {
      id: 'api',
      type: 'http',
      config: { url: 'https://example.org', headers: { a: { $secret: 'DASH_TEST_UNSET' } } },
    },
  ];
  const directory = await stored();
  await writeFile(join(directory, `${id}.json`), canonicalBytes(document));
  const store = new FileStore({ root: directory });
  const strict = await serving(store, documentEngine(loadCatalog(), { requireSecrets: true }));
  const refused = { status: 422, body: { code: 'SECRET_MISSING', details: { name: 'DASH_TEST_UNSET' } } };
  expect(await askJson(`${strict.url}/api/d/${id}/tree`)).toMatchObject(refused);
  expect(await post(`${strict.url}/api/patch`, { id, ops: retitle })).toMatchObject(refused);
  const lenient = await serving(store);
  expect(JSON.stringify(await askJson(`${lenient.url}/api/d/${id}/tree`))).toContain('missingSecrets');
});
