import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { maskPattern } from '#src/data/masking.ts';
import { canonicalText } from '#src/document/canonical.ts';
import type { JsonObject } from '#src/document/json.ts';
import { fullDashdoc as dashdoc } from '../cli/console.ts';
import { tablesOf } from '../data/asked.ts';
import { MisbehavingServer } from '../data/misbehaving-server.ts';
import { example, exampleNames } from '../resolve/golden.ts';
import { temporaryRoots } from '../store/stores.ts';

const root = temporaryRoots();
afterEach(() => void vi.unstubAllEnvs());

/** A folder with one document. */
async function stored(document: JsonObject): Promise<string> {
  const folder = await root();
  const { id } = document['manifest'] as { id: string };
  await writeFile(join(folder, `${id}.json`), canonicalText(document));
  return folder;
}

async function exported(document: JsonObject, kind: 'html' | 'json', flags: readonly string[] = []) {
  const folder = await stored(document);
  const { id } = document['manifest'] as { id: string };
  const out = join(folder, `out.${kind}`);
  const outcome = await dashdoc(['export', id, '--root', folder, '--out', out, ...flags]);
  const text = outcome.status === 0 ? await readFile(out, 'utf8') : '';
  return { ...outcome, folder, out, text };
}

const SECRET = 'canary-7f3a/+ü';
const answering = (response: { end(text: string): void }) =>
  response.end(JSON.stringify([{ region: 'eu', p95: 184, note: null, echo: `Bearer ${SECRET}` }]));

/** A document that sends a secret to a server, which sends it back. */
function asking(url: string): JsonObject {
  const config = { url: `${url}/echo`, headers: { authorization: { $secret: 'CANARY', prefix: 'Bearer ' } } };
  return tablesOf(
    { regions: { type: 'http', config } },
    { rows: { connection: 'regions', query: { limit: 3 } } },
  );
}

describe.each(exampleNames)('the example %s', name => {
  it('becomes a document that resolves, has only static connections and is stored as it is', async () => {
    const { status, text, folder, out } = await exported(example(name), 'json');
    expect(status).toBe(0);
    const frozen = JSON.parse(text) as { connections?: { type: string }[] };
    expect((frozen.connections ?? []).filter(({ type }) => type !== 'static')).toEqual([]);
    expect(text).not.toMatch(/"\$secret"|"secretRefs"/);
    const again = await dashdoc(['create', 'again', '--from', out, '--root', folder]);
    expect(again).toMatchObject({ status: 0, stderr: '' });
  });

  it('becomes one file that names no address to load from', async () => {
    const { status, text } = await exported(example(name), 'html');
    expect(status).toBe(0);
    expect(text).not.toMatch(
      /<script|<link rel="stylesheet"|\ssrc="(?!data:)|url\((?!["']?(?:data:|#))|@import/,
    );
    expect(text.includes('content="default-src &#39;none&#39;; style-src &#39;sha256-')).toBe(true);
  });
});

describe('rows of a connection', () => {
  it.each(['html', 'json'] as const)(
    'stand in the %s file, and no secret does, though the server sends it back',
    async kind => {
      const server = await MisbehavingServer.start({ '/echo': answering });
      vi.stubEnv('CANARY', SECRET);
      try {
        const { status, text, stdout, stderr } = await exported(asking(server.url), kind, [
          '--allow-query',
          `${server.url}=CANARY`,
        ]);
        expect(status).toBe(0);
        expect(server.headers[0]).toMatchObject({ authorization: expect.stringContaining('Bearer') });
        expect(text).toContain('184');
        const plain = text.replace(/base64,([A-Za-z0-9+/=]+)/g, (_, csv: string) =>
          Buffer.from(csv, 'base64').toString(),
        );
        for (const told of [text, plain, stdout, stderr]) expect(told).not.toMatch(maskPattern([SECRET]));
        if (kind === 'json') expect(text).not.toContain(server.url);
      } finally {
        await server.stop();
      }
    },
  );

  it('that a table cannot show empty are left out of its document, and those of equal queries stand once', async () => {
    const server = await MisbehavingServer.start({ '/echo': answering });
    vi.stubEnv('CANARY', SECRET);
    try {
      const document = asking(server.url);
      const { connections } = document as { connections: JsonObject[] };
      const twice = tablesOf({}, { a: { connection: 'regions' }, b: { connection: 'regions' } });
      const { text } = await exported({ ...twice, connections }, 'json', [
        '--allow-query',
        `${server.url}=CANARY`,
      ]);
      const frozen = JSON.parse(text);
      expect(frozen.connections).toEqual([
        {
          id: 'rows-1',
          type: 'static',
          config: { columns: expect.any(Array), rows: [{ region: 'eu', p95: 184, echo: 'Bearer •••' }] },
        },
      ]);
      expect(server.headers).toHaveLength(1);
    } finally {
      await server.stop();
    }
  });

  it('are left out when the connection may not be asked, and standard error names the missing flag', async () => {
    vi.stubEnv('CANARY', SECRET);
    const document = asking('http://127.0.0.1:9');
    const { status, text, stderr } = await exported(document, 'json');
    expect(status).toBe(0);
    expect(stderr).toContain('rows: QUERY_HOST_FORBIDDEN');
    expect(stderr).toContain('--allow-query http://127.0.0.1:9');
    expect(JSON.parse(text).connections).toEqual([{ id: 'rows-1', type: 'static', config: { rows: [] } }]);
    const page = await exported(document, 'html');
    expect(page.text).toContain('QUERY_HOST_FORBIDDEN');
  });
});

describe('dashdoc export', () => {
  const simple = () => example('first-steps');

  it('takes overrides and a scheme', async () => {
    const { text } = await exported(simple(), 'html', ['--set', '$manifest.title=Pinned', '--theme', 'dark']);
    expect(text).toContain('<title>Pinned · dash</title>');
    expect(text).toContain('<html lang="en" data-theme="dark">');
  });

  it('asks queries without a span of their own about --time', async () => {
    const server = await MisbehavingServer.start({
      '/api/v1/query_range': response =>
        response.end(JSON.stringify({ status: 'success', data: { resultType: 'matrix', result: [] } })),
    });
    try {
      const document = tablesOf(
        { prom: { type: 'prometheus', config: { url: server.url } } },
        { up: { connection: 'prom', query: { expr: 'up', step: '5m' } } },
      );
      const span = '2026-01-01T00:00:00Z/2026-01-01T01:00:00Z';
      const { status } = await exported(document, 'html', ['--allow-query', server.url, '--time', span]);
      expect(status).toBe(0);
      const asked = server.bodies.map(body => new URLSearchParams(body));
      expect(asked.map(query => [Number(query.get('start')), Number(query.get('end'))])).toEqual([
        [Date.parse('2026-01-01T00:00:00Z') / 1000, Date.parse('2026-01-01T01:00:00Z') / 1000],
      ]);
    } finally {
      await server.stop();
    }
  });

  it.each(['yesterday', '0h', '2026-01-01T00:00:00Z', ''])(
    'refuses --time %j and says what it takes',
    async time => {
      const { status, stderr } = await exported(simple(), 'html', ['--time', time]);
      expect(status).toBe(2);
      expect(stderr).toContain('--time must be a span such as 24h, or <from>/<to> in ISO 8601');
    },
  );

  it('prints what it wrote, as data with --json', async () => {
    const { stdout, out } = await exported(simple(), 'json', ['--json']);
    expect(JSON.parse(stdout)).toMatchObject({ id: 'first-steps', out, revision: expect.any(String) });
  });

  it.each([
    ['another kind of file', ['--out', 'x.pdf'], 2, 'CLI_INVALID'],
    ['an unknown scheme', ['--out', 'x.html', '--theme', 'blue'], 2, 'CLI_INVALID'],
    ['an unknown document', ['--out', 'x.html'], 1, 'STORAGE_NOT_FOUND'],
    ['a wrong entry of --allow-query', ['--out', 'x.html', '--allow-query', 'everything'], 2, 'CLI_INVALID'],
  ])('refuses %s', async (_, flags, status, code) => {
    const refused = await dashdoc(['export', 'ghost', ...flags, '--root', await root(), '--json']);
    expect(refused).toMatchObject({ status, stdout: '' });
    expect(JSON.parse(refused.stderr)).toMatchObject({ code });
  });

  it('refuses a wrong override, a document that does not resolve and a folder that is not there', async () => {
    const folder = await stored(simple());
    const run = async (flags: readonly string[]) =>
      JSON.parse((await dashdoc(['export', 'first-steps', '--root', folder, '--json', ...flags])).stderr);
    const out = join(folder, 'x.html');
    expect(await run(['--out', out, '--set', 'ghost.title=x'])).toMatchObject({
      code: 'CONFIG_OVERRIDE_FIELD_UNKNOWN',
    });
    expect(await run(['--out', join(folder, 'none', 'x.html')])).toMatchObject({ code: 'STORAGE_IO' });
    await writeFile(
      join(folder, 'first-steps.json'),
      canonicalText({ ...simple(), variables: [{ name: 'in', type: 'string' }] }),
    );
    expect(await run(['--out', out])).toMatchObject({ code: 'VAR_DECLARATION_INVALID' });
  });
});
