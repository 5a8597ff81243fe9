import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalText } from '#src/document/canonical.ts';
import { teamPulse } from '../changeset/team-pulse.ts';
import { PATIENT_MS } from '../store/stores.ts';
import { ask, askJson, post, Serving } from './serving.ts';

const id = 'team-pulse';
const MIB = 1024 * 1024;

let root: string;
let file: string;
let backend: Serving;
let path: Serving;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'dash-http-'));
  file = join(root, `${id}.json`);
  await writeFile(file, canonicalText(teamPulse()));
  await writeFile(join(root, 'broken.json'), '{');
  await writeFile(join(root, 'renamed.json'), canonicalText(teamPulse()));
  [backend, path] = await Promise.all([
    Serving.start(['--root', root, '--allow-host', 'dash.example.org']),
    Serving.start([file]),
  ]);
}, PATIENT_MS);

afterAll(async () => {
  await Promise.all([backend.stop(), path.stop()]);
  await rm(root, { recursive: true, force: true });
}, PATIENT_MS);

const patch = (body: unknown, headers?: Record<string, string>) =>
  post(`${backend.url}/api/patch`, body, headers);
const invalid = (status: number) => ({
  status,
  body: { code: 'SERVE_INVALID', details: { reason: expect.any(String) } },
});
const forbidden = (details: object) => ({ status: 403, body: { code: 'SERVE_ORIGIN_FORBIDDEN', details } });

describe('H1: a commit', () => {
  it('is a POST and nothing else', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const answer = await ask(`${backend.url}/api/patch`, { method });
      expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST' } });
      expect(JSON.parse(answer.text)).toMatchObject({ code: 'SERVE_INVALID' });
      expect(Object.keys(answer.headers).filter(name => name.startsWith('access-control'))).toEqual([]);
    }
    expect(await ask(`${backend.url}/api/patch`, { method: 'HEAD' })).toMatchObject({
      status: 405,
      text: '',
    });
  });

  it('comes from no foreign origin, whatever the order of its other faults', async () => {
    const origin = 'http://evil.example';
    expect(await patch({ id, ops: [] }, { origin })).toMatchObject(forbidden({ origin }));
    expect(await patch('no object', { origin })).toMatchObject(forbidden({ origin }));
    expect(await post(`${backend.url}/api/nothing`, {}, { origin })).toMatchObject(forbidden({ origin }));
  });

  it('has 4 MiB at most, told or streamed', async () => {
    const fits = JSON.stringify({ id, ops: [{ op: 'test', path: '/$manifest/title', value: 'x' }] }).padEnd(
      4 * MIB,
    );
    expect(await askJson(`${backend.url}/api/patch`, { method: 'POST', body: fits })).toMatchObject({
      status: 422,
      body: { code: 'PATCH_APPLY_FAILED' },
    });
    const large = { status: 413, body: { code: 'SERVE_TOO_LARGE', details: { limit: 4 * MIB } } };
    for (const headers of [{ 'content-length': `${4 * MIB + 1}` }, { 'transfer-encoding': 'chunked' }]) {
      for (const route of ['patch', 'validate', `d/${id}/resolve`]) {
        const asked = { method: 'POST', headers, body: `${fits} ` };
        expect(await askJson(`${backend.url}/api/${route}`, asked)).toMatchObject(large);
      }
    }
    expect((await patch({ id, ops: [] })).status).toBe(200);
  });

  it('goes to a store: a file is read-only', async () => {
    expect(await post(`${path.url}/api/patch`, { id, ops: [] })).toMatchObject({
      status: 404,
      body: { code: 'SERVE_READ_ONLY', details: {} },
    });
    for (const route of ['/api/validate', '/api/dashboards', `/d/${id}`, `/api/d/${id}/tree`]) {
      expect(await askJson(`${path.url}${route}`)).toMatchObject(invalid(404));
    }
  });
});

describe('H2: the body of a commit', () => {
  it('is JSON; what its changeset lacks is told by the pipeline', async () => {
    for (const body of ['', '{', 'nonsense', '[]', '"text"', 'null', '7']) {
      expect(await askJson(`${backend.url}/api/patch`, { method: 'POST', body })).toMatchObject(invalid(400));
    }
    const latin = new Uint8Array([0x7b, 0x22, 0xe4, 0x22, 0x3a, 0x31, 0x7d]);
    expect(await askJson(`${backend.url}/api/patch`, { method: 'POST', body: latin })).toMatchObject(
      invalid(400),
    );
    for (const ops of [undefined, null, 'ops', {}, [7], [{ op: 'replace' }]]) {
      expect(await patch({ id, ops })).toMatchObject({ status: 422, body: { code: 'PATCH_INVALID' } });
    }
  });

  it('names a document that is there, by a safe id, with usable bytes', async () => {
    for (const bad of [undefined, null, '', 7, ['team-pulse']]) {
      expect(await patch({ id: bad, ops: [] })).toMatchObject(invalid(400));
    }
    const refused = async (named: string) => {
      const { status, body } = await patch({ id: named, ops: [] });
      return [status, body.code];
    };
    expect(await refused('nobody')).toEqual([404, 'STORAGE_NOT_FOUND']);
    for (const unsafe of ['../x', 'a/b', '.git', ' ', 'con']) {
      expect(await refused(unsafe)).toEqual([422, 'STORAGE_ID_INVALID']);
    }
    expect(await refused('broken')).toEqual([422, 'STORAGE_INVALID']);
    expect(await refused('renamed')).toEqual([422, 'STORAGE_ID_MISMATCH']);
  });

  it('carries a subject of one line, if any', async () => {
    const bidirectional = ['\u202e', '\u2066', '\u200f', '\u061c'].map(mark => `a${mark}b`);
    for (const message of ['', 'two\nlines', 'x'.repeat(201), 7, null, 'tab\there', ...bidirectional]) {
      expect(await patch({ id, ops: [], message })).toMatchObject(invalid(400));
    }
    expect((await patch({ id, ops: [], message: 'x'.repeat(200) })).status).toBe(200);
  });

  it.each([
    ['/ghost/config/title', 'x', 'CHANGESET_TARGET_NOT_FOUND'],
    ['scores', 'x', 'PATCH_POINTER_INVALID'],
    ['/scores/config/connectionId', 'x', 'PATCH_OFF_SURFACE'],
    ['/body/config/grid/gap', 'wide', 'PATCH_VALUE_INVALID'],
    ['/scores-block/placement/colStart', 9, 'PATCH_STRUCTURE_INVALID'],
    ['/scores/config/title', '$'.concat('{ghost}'), 'VAR_UNDEFINED'],
  ])('a changeset of %s to %s is refused', async (pointer, value, code) => {
    expect(await patch({ id, ops: [{ op: 'replace', path: pointer, value }] })).toMatchObject({
      status: 422,
      body: { code },
    });
  });
});

describe('H3: a request', () => {
  it('is sent to a name of this server, on every route', async () => {
    for (const route of ['/', '/healthz', '/api/dashboards', '/nothing', '/static/page.css']) {
      const asked = { headers: { host: `evil.example:${backend.port}` } };
      expect(await askJson(`${backend.url}${route}`, asked)).toMatchObject(
        forbidden({ host: `evil.example:${backend.port}` }),
      );
    }
    for (const host of ['localhost', 'dash.localhost:1', '[::1]:9', '127.0.0.2', 'dash.example.org']) {
      expect(await ask(`${backend.url}/healthz`, { headers: { host } })).toMatchObject({
        status: 200,
        text: '{"status":"ok"}',
      });
    }
  });

  it('writes from its own origin only', async () => {
    for (const origin of ['null', `http://127.0.0.1:${Number(backend.port) + 1}`, 'http://127.0.0.1']) {
      expect(await patch({ id, ops: [] }, { origin })).toMatchObject(forbidden({ origin }));
    }
    expect((await patch({ id, ops: [] }, { origin: backend.url })).status).toBe(200);
    const proxied = { host: 'dash.example.org', origin: 'https://dash.example.org' };
    expect((await patch({ id, ops: [] }, proxied)).status).toBe(200);
  });

  it('never loses a precondition by a mistake', async () => {
    for (const lost of [{ expectedRevision: null }, { expectedRevision: 7 }, { expectedrevision: 'x' }]) {
      expect(await patch({ id, ops: [], ...lost })).toMatchObject(invalid(400));
    }
    expect((await patch({ id, ops: [], expectedRevision: '' })).status).toBe(409);
  });

  it('to an unknown path is 404', async () => {
    for (const route of [
      '/api',
      '/api/patch/',
      '/d',
      '/d/a/b',
      '/static',
      '/static/..%2fpackage.json',
      '/static/x.css',
    ]) {
      expect(await askJson(`${backend.url}${route}`)).toMatchObject(invalid(404));
    }
  });
});

describe('reading', () => {
  it('resolves a stored document with overrides of a query string or of a body', async () => {
    const tree = (query: string) => askJson(`${backend.url}/api/d/${id}/tree${query}`);
    const title = ({ body }: { body: unknown }) => /"title":"([^"]*weeks)"/.exec(JSON.stringify(body))?.[1];
    expect(title(await tree(''))).toBe('WEB / last 4 weeks');
    expect(title(await tree('?team=core&weeks=8&utm_source=mail'))).toBe('CORE / last 8 weeks');
    expect(await tree('?team=ops')).toMatchObject({ status: 422, body: { code: 'VAR_OPTIONS_INVALID' } });
    const resolve = (body: unknown) => post(`${backend.url}/api/d/${id}/resolve`, body);
    expect(title(await resolve({ team: 'core', weeks: 2 }))).toBe('CORE / last 2 weeks');
    expect(await resolve({ nobody: 1 })).toMatchObject({
      status: 422,
      body: { code: 'VAR_OVERRIDE_INVALID' },
    });
    expect(await resolve([])).toMatchObject(invalid(400));
    const empty = await askJson(`${backend.url}/api/d/${id}/resolve`, { method: 'POST', body: '' });
    expect(empty).toEqual(await tree(''));
  });

  it('lists, and has no document of its own unless one was named', async () => {
    expect((await askJson(`${backend.url}/api/dashboards`)).body).toEqual({
      dashboards: [{ id: 'broken' }, { id: 'renamed', title: 'Team pulse' }, { id, title: 'Team pulse' }],
    });
    expect(await askJson(`${backend.url}/api/tree`)).toMatchObject(invalid(404));
    expect(await post(`${backend.url}/api/resolve`, {})).toMatchObject(invalid(404));
    expect(await askJson(`${backend.url}/api/d/${id}/history`)).toMatchObject({
      status: 422,
      body: { code: 'STORAGE_CAPABILITY_UNSUPPORTED', details: { capability: 'history' } },
    });
  });

  it('shows pages that load nothing from elsewhere, failures too', async () => {
    const page = await ask(`${backend.url}/d/${id}`);
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=UTF-8' } });
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    for (const shown of ['page', 'scores-block', 'note', 'WEB / last 4 weeks'])
      expect(page.text).toContain(shown);
    const list = await ask(`${backend.url}/`);
    expect(list.text).toContain(`href="/d/${id}"`);
    const failures = { broken: [422, 'STORAGE_INVALID'], nobody: [404, 'STORAGE_NOT_FOUND'] } as const;
    for (const [named, [status, code]] of Object.entries(failures)) {
      const failed = await ask(`${backend.url}/d/${named}`);
      expect(failed.status).toBe(status);
      expect(failed.text).toContain(code);
      expect(failed.text).toContain(named);
    }
    const hostile = await ask(`${backend.url}/d/${encodeURIComponent('<img src=x>/')}`);
    expect(hostile.status).toBe(422);
    expect(hostile.text).not.toContain('<img');
    expect(hostile.text).toContain('&lt;img');
    const style = await ask(`${backend.url}/static/page.css`);
    expect(style).toMatchObject({ status: 200, headers: { 'content-type': 'text/css; charset=utf-8' } });
    expect(await ask(`${backend.url}/d/${id}`, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  });

  it(
    'of a file follows the file, whatever becomes of it',
    async () => {
      const own = join(root, 'own.json');
      await writeFile(own, '{');
      const serving = await Serving.start([own]);
      const tree = () => askJson(`${serving.url}/api/tree?team=core`);
      const broken = await ask(serving.url);
      expect(broken.status).toBe(422);
      expect(broken.text).toContain('RESOLVE_DOCUMENT_INVALID');
      await writeFile(own, canonicalText(teamPulse()));
      expect(JSON.stringify((await tree()).body)).toContain('CORE / last 4 weeks');
      expect((await ask(serving.url)).text).toContain('scores-block');
      expect(await post(`${serving.url}/api/resolve`, { 'scores.title': 'Pinned' })).toMatchObject({
        status: 200,
      });
      await rm(own);
      expect(await tree()).toMatchObject({ status: 500, body: { code: 'RESOLVE_IO' } });
      await eventually('the log', () => serving.stderr.includes('RESOLVE_IO at GET /api/tree\n'), PATIENT_MS);
      expect(await serving.stop('SIGINT')).toBe(0);
    },
    PATIENT_MS,
  );
});

describe('the process', () => {
  it(
    'serves one document at the top when it is named, and stops after finishing what runs',
    async () => {
      const serving = await Serving.start([id, '--root', root]);
      expect(serving.stdout).toBe(`dash serving ${id} on http://127.0.0.1:${serving.port}\n`);
      expect((await askJson(`${serving.url}/api/tree`)).body).toMatchObject({ manifest: { id } });
      const idle = connect(Number(serving.port), '127.0.0.1');
      const running = connect(Number(serving.port), '127.0.0.1');
      await Promise.all([once(idle, 'connect'), once(running, 'connect')]);
      const body = JSON.stringify({ id, ops: [] });
      running.write(
        `POST /api/patch HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      await once(running, 'data');
      const status = serving.stop();
      await once(idle, 'close');
      running.write(body);
      let answer = '';
      for await (const chunk of running.setEncoding('utf8')) answer += chunk;
      expect(answer).toContain('HTTP/1.1 200 OK');
      expect(answer).toContain('"revision"');
      expect(await status).toBe(0);
    },
    PATIENT_MS,
  );

  it(
    'says so when it listens beyond loopback, where only addresses and told names are its own',
    async () => {
      const serving = await Serving.start(['--root', root, '--host', '0.0.0.0', '--allow-host', 'dash.lan']);
      await eventually('the warning', () => serving.stderr.endsWith('\n'), PATIENT_MS);
      expect(serving.stderr).toBe('dash: 0.0.0.0 is not loopback: every program that reaches it can write\n');
      const status = async (host: string) =>
        (await ask(`http://127.0.0.1:${serving.port}/healthz`, { headers: { host } })).status;
      expect(await Promise.all(['10.1.2.3:80', '[2001:db8::1]', 'dash.lan'].map(status))).toEqual([
        200, 200, 200,
      ]);
      expect(await Promise.all(['localhost', 'evil.example'].map(status))).toEqual([403, 403]);
      expect(await serving.stop('SIGINT')).toBe(0);
    },
    PATIENT_MS,
  );

  it(
    'does not start on an invocation that makes no sense',
    async () => {
      const refused = async (...words: string[]) => {
        const { status, stdout, stderr } = await Serving.failing([...words, '--json']);
        expect({ words, status, stdout }).toEqual({ words, status: 1, stdout: '' });
        const { code, details } = JSON.parse(stderr) as { code: string; details: object };
        expect(details).toBeTypeOf('object');
        return code;
      };
      expect(await Promise.all([refused(), refused('./nothing-here.json')])).toEqual([
        'SERVE_INVALID',
        'RESOLVE_IO',
      ]);
    },
    PATIENT_MS,
  );

  it(
    'does not start on a port that is taken',
    async () => {
      const taken = createServer().listen(0, '127.0.0.1');
      await once(taken, 'listening');
      const { port } = taken.address() as { port: number };
      const ended = await Serving.failing(['--root', root, '--port', String(port)]);
      expect(ended).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('EADDRINUSE') });
      taken.close();
    },
    PATIENT_MS,
  );
});
