import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalText } from '#src/document/canonical.ts';
import { tablesOf } from '../../data/asked.ts';
import { BINARY, RawHost, type ToolAnswer } from '../host.ts';

/** A module whose process may open no socket. */
const WITHOUT_SOCKETS = fileURLToPath(new URL('../without-sockets.mjs', import.meta.url));
const id = 'tables';
/** A document with a connection of each type that dials, whose secrets are set. */
const document = tablesOf(
  {
    http: {
      type: 'http',
      config: { url: 'http://127.0.0.1:19999/x', headers: { authorization: { $secret: 'TOKEN' } } },
    },
    prom: { type: 'prometheus', config: { url: 'http://prom.example:9090' } },
    shop: {
      type: 'sql',
      config: { url: 'postgres://u@db.example/shop', password: { $secret: 'TOKEN' } },
    },
    orders: {
      type: 'msg',
      config: { url: 'ws://127.0.0.1:19999/connection/websocket', channel: 'public:a.b' },
    },
  },
  {
    a: { connection: 'http' },
    b: { connection: 'prom', query: { expr: 'up' } },
    c: { connection: 'shop', query: { text: 'SELECT 1' } },
    d: { connection: 'orders' },
  },
);
const rename = [{ op: 'replace', path: '/a-block/config/title', value: 'A' }];
const retitle = [{ op: 'add', path: '/$manifest/title', value: 'Tables' }];
const requery = [{ op: 'replace', path: '/b/config/query', value: { expr: 'down' } }];

/** Each tool, called in the ways that resolve, validate and read. */
const CALLS: Readonly<Record<string, readonly object[]>> = {
  dash_list_dashboards: [{}],
  dash_get_manifest: [{}],
  dash_list_schemas: [{}],
  dash_get_schema: [{ type: 'connection/sql' }, { types: ['chart', 'connection/msg'], brief: true }],
  dash_list_skills: [{}],
  dash_get_skill: [{ name: 'connections' }],
  dash_get_outline: [{ id }, { id, references: 'prom' }],
  dash_get_node: [
    { id, nodeId: 'b' },
    { id, nodeId: 'c', resolved: true },
  ],
  dash_get_document: [{ id }, { id, resolved: true }],
  dash_validate_patch: [
    { id, ops: retitle },
    { id, ops: requery, preview: 'changed' },
    { id, ops: requery, preview: 'rendered' },
    { id, ops: requery, image: true },
    { id, ops: rename },
    { id: 'new', create: true, ops: retitle },
  ],
};
/** Commands that read, resolve and validate. */
const COMMANDS: readonly (readonly string[])[] = [
  ['list'],
  ['show', id],
  ['outline', id],
  ['node', id, 'b'],
  ['resolve', id],
  ['validate', id],
  ['schemas'],
  ['schema', 'chart'],
  ['create', 'made', '--from', `${id}.json`],
];

let root: string;
const options = process.env['NODE_OPTIONS'];
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'dash-no-sockets-'));
  await writeFile(
    join(root, `${id}.json`),
    canonicalText({ ...document, manifest: { formatVersion: '1.0.0', id } }),
  );
  process.env['NODE_OPTIONS'] = `--import=${WITHOUT_SOCKETS}`;
  process.env['TOKEN'] = 'a-token-of-tests';
});
afterAll(async () => {
  if (options === undefined) delete process.env['NODE_OPTIONS'];
  else process.env['NODE_OPTIONS'] = options;
  delete process.env['TOKEN'];
  await rm(root, { recursive: true, force: true });
});

it('a process that may open no socket says so when it tries', () => {
  for (const attempt of ["fetch('http://127.0.0.1:19999/')", "new WebSocket('ws://localhost:19999')"]) {
    const script = `try { ${attempt} } catch {}; setTimeout(() => process.exit(), 200);`;
    const { stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    expect(stderr).toContain('SOCKET ');
  }
});

describe('without queries', () => {
  it('every tool resolves, validates and reads, and opens no socket', async () => {
    const host = new RawHost(['--root', root]);
    await host.initialize();
    const { result = {} } = await host.request('tools/list');
    const names = (result['tools'] as { name: string }[]).map(({ name }) => name);
    expect(Object.keys(CALLS).sort()).toEqual(names.toSorted());
    for (const [name, calls] of Object.entries(CALLS)) {
      for (const args of calls) {
        const answer = (await host.request('tools/call', { name, arguments: args }))
          .result as unknown as ToolAnswer;
        expect(answer.content[0]?.text, `${name} ${JSON.stringify(args)}`).not.toContain('INTERNAL');
      }
    }
    await host.hangUp();
    expect(host.stderr).not.toContain('SOCKET');
  }, 60_000);

  it.each(COMMANDS.map(words => [words.join(' '), words] as const))('dashdoc %s opens none', (_, words) => {
    const { stderr, status } = spawnSync(
      process.execPath,
      [BINARY, ...words, ...(words[0] === 'schema' || words[0] === 'schemas' ? [] : ['--root', '.'])],
      {
        cwd: root,
        encoding: 'utf8',
      },
    );
    expect(stderr).not.toContain('SOCKET');
    expect([status, stderr]).toEqual([0, '']);
  });
});
