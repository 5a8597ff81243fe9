import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCatalog } from '#src/catalog/index.ts';
import { nodeTypes } from '#src/catalog/reference.ts';
import { applyChangeset } from '#src/changeset/apply.ts';
import { parseChangeset } from '#src/changeset/parse.ts';
import { canonicalBytes } from '#src/document/canonical.ts';
import { isJsonObject, type Json, type JsonObject } from '#src/document/json.ts';
import { DashError } from '#src/errors.ts';
import { HttpServer } from '#src/http/server.ts';
import { createDashServer, DASH_TOOLS } from '#src/mcp/server.ts';
import { loadSkills } from '#src/mcp/skills.ts';
import { documentEngine } from '#src/reads/document-engine.ts';
import { resolveDocument } from '#src/resolve/index.ts';
import { FileStore } from '#src/store/file-store.ts';
import { teamPulse } from './changeset/team-pulse.ts';
import { dashdoc } from './cli/console.ts';
import { ask } from './http/serving.ts';
import { temporaryRoots } from './store/stores.ts';

/** What an error may repeat of an input, and how long one with several pieces may get. */
const MOST_SHOWN = 200;
const LONGEST_ERROR = 9 * 1024;
const LONG = 'Q'.repeat(3_000);

const catalog = loadCatalog();
const types = nodeTypes(catalog);

/** Length of the longest run of the letter that the long inputs are made of. */
function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/Q+/g) ?? []).map(run => run.length));
}

function expectShort(text: string, of: string): void {
  expect(longestRun(text), of).toBeLessThanOrEqual(MOST_SHOWN);
  expect(text.length, of).toBeLessThan(LONGEST_ERROR);
}

/** Every value that differs from `value` in one text, which got longer, or in one name of a member. */
function* lengthened(value: Json): Generator<Json> {
  if (typeof value === 'string') yield* [`${value}${LONG}`, `${LONG}${value}`];
  if (typeof value === 'number') yield LONG;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      for (const other of lengthened(item)) yield value.with(index, other);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      for (const other of lengthened(member)) yield { ...value, [name]: other };
      const { [name]: _, ...rest } = value;
      yield { ...rest, [`${name}${LONG}`]: member };
    }
  }
}

/** The error of `work`, as every entry point reports it; undefined when `work` succeeds. */
function toldBy(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof DashError) return JSON.stringify(error.toEnvelope());
    throw error;
  }
}

const INVALID = fileURLToPath(new URL('../fixtures/invalid/', import.meta.url));

describe('an error repeats at most 200 characters of a document', () => {
  it.each(readdirSync(INVALID))('%s', file => {
    const document = JSON.parse(readFileSync(join(INVALID, file), 'utf8')) as JsonObject;
    for (const other of lengthened(document)) {
      const told = toldBy(() => resolveDocument(other, catalog, { environment: {}, requireSecrets: true }));
      if (told !== undefined) expectShort(told, file);
    }
  });
});

const OPERATIONS: JsonObject[] = [
  { op: 'replace', path: '/scores/config/connectionId', value: 'x' },
  { op: 'replace', path: '/scores-block/config/columns', value: [] },
  { op: 'replace', path: '/body/config/grid/gap', value: 'wide' },
  { op: 'replace', path: '/$theme/tone', value: 'loud' },
  { op: 'replace', path: '/ghost/config/title', value: 'x' },
  { op: 'replace', path: '/$ghost/title', value: 'x' },
  { op: 'replace', path: '/$manifest/id', value: 'x' },
  { op: 'remove', path: '/note' },
  { op: 'remove', path: '/$variables/9' },
  { op: 'test', path: '/$manifest/title', value: 'Other' },
  { op: 'move', from: '/note-block', path: '/body/children/0' },
  { op: 'copy', from: '/note-block', path: '/body/children/0' },
  {
    op: 'add',
    path: '/body/children/-',
    value: { id: 'b', type: 'block', config: { content: { id: 'c' } } },
  },
  { op: 'add', path: '/page/children/-', value: { id: 'b/c', type: 'block' } },
  { op: 'add', path: '/scores-block/placement/colStart', value: 9 },
  { op: 'add', path: '/$connections/-', value: { id: 'a b', type: 'static', config: {} } },
  { op: 'nothing', path: 'pointer~2' },
  { op: 'add', path: 'pointer' },
  { op: 'add', path: '/a~2b', value: 1 },
];

it.each(OPERATIONS.map(operation => [JSON.stringify(operation), operation] as const))(
  'an error repeats at most 200 characters of the operation %s',
  (name, operation) => {
    for (const other of lengthened([operation])) {
      const told = toldBy(() => {
        const after = applyChangeset('team-pulse', teamPulse(), parseChangeset(other), types);
        resolveDocument(after, catalog, { environment: {} });
      });
      if (told !== undefined) expectShort(told, name);
    }
  },
);

it('a pointer of 1 MB gets an answer of a few hundred bytes', () => {
  const path = `/${'Q'.repeat(1_000_000)}`;
  const told =
    toldBy(() => applyChangeset('d', teamPulse(), parseChangeset([{ op: 'remove', path }]), types)) ?? '';
  expect(told).toContain('CHANGESET_TARGET_NOT_FOUND');
  expectShort(told, 'pointer');
  expect(told.length).toBeLessThan(2_000);
});

describe('an override', () => {
  it.each(['nobody', 'nobody.title', 'scores.nothing', 'team', 'weeks', 'scores.title', '.', '$theme.tone'])(
    'of %s',
    address => {
      for (const [where, text] of [
        [`${address}${LONG}`, 'x'],
        [`${LONG}${address}`, 'x'],
        [address, LONG],
      ] as const) {
        const overrides = [{ address: where, text }];
        const told = toldBy(() => resolveDocument(teamPulse(), catalog, { overrides, environment: {} }));
        if (told !== undefined) expectShort(told, address);
      }
    },
  );
});

describe('over an entry point', () => {
  const root = temporaryRoots();
  let server: HttpServer;
  let store: FileStore;
  beforeAll(async () => {
    const directory = await root();
    await writeFile(join(directory, 'team-pulse.json'), canonicalBytes(teamPulse()));
    await writeFile(join(directory, 'renamed.json'), canonicalBytes({ manifest: { id: LONG } }));
    store = new FileStore({ root: directory });
    const served = { store };
    server = await HttpServer.listen({ served, engine: documentEngine(catalog), host: '127.0.0.1', port: 0 });
  });
  afterAll(() => server.stop());

  it('HTTP answers are short, whatever of the request is long', async () => {
    const requests: [string, string, Record<string, string>, Json | undefined][] = [
      ['GET', `/${LONG}`, {}, undefined],
      ['GET', `/d/${LONG}`, {}, undefined],
      ['GET', `/api/d/${LONG}/tree`, {}, undefined],
      ['GET', `/api/d/team-pulse/tree?${LONG}=1`, {}, undefined],
      ['GET', `/api/d/team-pulse/tree?team=${LONG}`, {}, undefined],
      ['GET', '/api/d/renamed/tree', {}, undefined],
      ['GET', '/d/renamed', {}, undefined],
      ['GET', `/static/${LONG}.css`, {}, undefined],
      ['GET', '/healthz', { host: LONG }, undefined],
      ['POST', '/api/patch', { origin: `http://${LONG}` }, {}],
      ...[...lengthened({ id: 'team-pulse', ops: [], expectedRevision: 'x', message: 'm' })].map(
        body => ['POST', '/api/patch', {}, body] as [string, string, Record<string, string>, Json],
      ),
      ['POST', '/api/d/team-pulse/resolve', {}, { [LONG]: 1 }],
      ['POST', '/api/d/team-pulse/resolve', {}, { team: LONG }],
    ];
    for (const [method, path, headers, body] of requests) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const { status, text } = await ask(`${server.url}${path}`, { method, headers, ...sent });
      if (status >= 400) expectShort(text, `${method} ${path.slice(0, 60)}`);
    }
  });

  it('answers of the tools are short, whatever argument is long', async () => {
    const tools = createDashServer({
      store,
      engine: documentEngine(catalog),
      skills: loadSkills(),
      version: '1',
    });
    const [near, far] = InMemoryTransport.createLinkedPair();
    const answers: ((message: unknown) => void)[] = [];
    near.onmessage = message => answers.shift()?.(message);
    await Promise.all([near.start(), tools.connect(far)]);
    let id = 0;
    const request = async (method: string, params: Record<string, unknown>): Promise<string> => {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      answers.push(resolve);
      id++;
      await near.send({ jsonrpc: '2.0', id, method, params });
      return JSON.stringify(await promise);
    };
    const clientInfo = { name: 'test', version: '1' };
    await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    const told = [
      await request(LONG, {}),
      await request('tools/call', { name: LONG }),
      await request('tools/call', { name: 7, [LONG]: 1 }),
      await request('resources/read', { uri: LONG }),
      await request('resources/read', { uri: `dash-skill://${LONG}` }),
    ];
    for (const { name, takes } of DASH_TOOLS) {
      told.push(await request('tools/call', { name, arguments: { [LONG]: 1 } }));
      for (const argument of Object.keys(takes)) {
        const args = { id: 'team-pulse', nodeId: 'page', type: 'table', name: 'x', ops: [] };
        const taken = Object.fromEntries(
          Object.entries(args).filter(([member]) => Object.hasOwn(takes, member)),
        );
        told.push(await request('tools/call', { name, arguments: { ...taken, [argument]: LONG } }));
      }
    }
    await near.close();
    for (const text of told) {
      expect(text).toMatch(/"isError":true|"error":/);
      expectShort(text, text.slice(0, 200));
    }
  });

  it.each(
    [
      [LONG],
      ['list', `--${LONG}`],
      ['list', LONG],
      ['list', '--store', LONG],
      ['list', '--root', LONG],
      ['outline', LONG],
      ['node', 'team-pulse', LONG],
      ['schema', LONG],
      ['show', 'team-pulse', '--at', LONG],
      ['create', LONG],
      ['create', 'x', '--from', LONG],
      ['create', 'x', '--template', LONG],
      ['patch', 'team-pulse', '--changeset', LONG],
      ['patch', 'team-pulse', '--changeset', '-', '--expect-revision', LONG],
      ['patch', 'team-pulse', '--changeset', '-', '--message', LONG],
      ['resolve', LONG],
      ['resolve', 'x', '--set', LONG],
      ['serve', LONG],
      ['serve', '--port', LONG],
      ['serve', '--allow-host', `${LONG}/`],
      ['validate', LONG],
      ['diff', 'team-pulse', '--from', LONG],
    ].map(line => [line.map(word => word.replace(LONG, '…')).join(' '), line] as const),
  )('lines on stderr are short: dashdoc %s', async (shown, line) => {
    for (const json of [[], ['--json']]) {
      const { status, stderr } = await dashdoc([...line, ...json], '[]');
      expect(status, shown).not.toBe(0);
      expectShort(stderr, shown);
    }
  });
});

it('a message shows controls and bidirectional characters instead of obeying them', () => {
  const told = toldBy(() =>
    applyChangeset(
      'd',
      teamPulse(),
      parseChangeset([{ op: 'remove', path: '/a\u202eb\u0007\u2066' }]),
      types,
    ),
  );
  const { message } = JSON.parse(told ?? '') as { message: string };
  expect(message).toContain('"a\\u202eb\\u0007\\u2066"');
});
