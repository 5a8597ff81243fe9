// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the documents interpolate, the program does not
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadCatalog } from '#src/catalog/index.ts';
import { canonicalText } from '#src/document/canonical.ts';
import type { Json } from '#src/document/json.ts';
import { teamPulse } from '../changeset/team-pulse.ts';
import { git } from '../store/stores.ts';
import { RawHost, type ToolAnswer } from './host.ts';

const id = 'team-pulse';
const catalog = loadCatalog();
const text = canonicalText(teamPulse());

interface Envelope {
  readonly code: string;
  readonly message: string;
  readonly details: Record<string, unknown> & { known?: string[] };
}

interface Fields {
  readonly surface: readonly { key: string; type: string }[];
  readonly surfacePath?: string;
  readonly ownSurface?: readonly { key: string; type: string }[];
}

interface Node {
  readonly id: string;
  readonly children: readonly Node[];
}

interface Described {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
  readonly outputSchema: Record<string, unknown>;
  readonly annotations: Record<string, boolean>;
}

let directory: string;
let host: RawHost;
let tools: Described[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'dash-mcp-'));
  await writeFile(join(directory, `${id}.json`), text);
  host = new RawHost(['--root', directory]);
  await host.initialize();
  tools = (await host.request('tools/list')).result?.['tools'] as Described[];
}, 60_000);

afterAll(async () => {
  await host.hangUp();
  host.messages();
  await rm(directory, { recursive: true });
});

/** Nothing here ever writes. */
afterEach(async () => {
  expect(await readFile(join(directory, `${id}.json`), 'utf8')).toBe(text);
});

/** Calls a tool that works, and checks its answer against the tool's own schema. */
async function ask<T>(name: string, args: object = {}): Promise<T> {
  const answer = await host.tool(name, args);
  expect(answer.isError ?? false, answer.content[0]?.text).toBe(false);
  expectConforming(name, answer);
  return answer.structuredContent as T;
}

/** Calls a tool that fails, and checks the convention of failures. */
async function refused(name: string, args: object = {}): Promise<Envelope> {
  const answer = await host.tool(name, args);
  expect(answer.isError).toBe(true);
  const said = JSON.parse(answer.content[0]?.text ?? '') as Envelope & { ok?: boolean };
  expect(said.message).toEqual(expect.any(String));
  expect(said.details).toEqual(expect.any(Object));
  if (name !== 'dash_validate_patch') {
    expect(answer.structuredContent).toBeUndefined();
    expect(Object.keys(said)).toEqual(['code', 'message', 'details']);
    return said;
  }
  expectConforming(name, answer);
  const { ok, ...envelope } = said;
  expect(ok).toBe(false);
  return envelope;
}

function expectConforming(name: string, answer: ToolAnswer): void {
  expect(JSON.parse(answer.content[0]?.text ?? '')).toEqual(answer.structuredContent);
  const schema = tools.find(tool => tool.name === name)?.outputSchema ?? false;
  const ajv = new Ajv2020({ strict: false });
  expect(ajv.validate(schema, answer.structuredContent), ajv.errorsText()).toBe(true);
}

function validate(...ops: unknown[]) {
  return { id, ops };
}

const block = (blockId: string, content: object) => ({ id: blockId, type: 'block', config: { content } });

describe('the ten tools', () => {
  it('are listed with schemas and annotations, and nothing else is', () => {
    const names =
      'dash_get_document dash_get_manifest dash_get_node dash_get_outline dash_get_schema dash_get_skill ' +
      'dash_list_dashboards dash_list_schemas dash_list_skills dash_validate_patch';
    expect(tools.map(({ name }) => name).sort()).toEqual(names.split(' '));
    const ajv = new Ajv2020({ strict: false });
    for (const tool of tools) {
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.outputSchema['type']).toBe('object');
      ajv.compile(tool.inputSchema);
      ajv.compile(tool.outputSchema);
      expect(tool.annotations).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      });
    }
  });

  it('refuse missing, mistyped and unknown arguments as coded errors', async () => {
    const fault = async (name: string, args: object) => {
      const { code, details } = await refused(name, args);
      return [code, details['tool'], details['argument'], details['reason']];
    };
    expect(await fault('dash_get_outline', {})).toEqual(['MCP_INVALID', 'dash_get_outline', 'id', 'missing']);
    expect(await fault('dash_get_node', { id, nodeId: 3 })).toEqual([
      ...['MCP_INVALID', 'dash_get_node', 'nodeId', 'type'],
    ]);
    expect(await fault('dash_get_document', { id, resolved: 'yes' })).toEqual([
      ...['MCP_INVALID', 'dash_get_document', 'resolved', 'type'],
    ]);
    expect(await fault('dash_list_dashboards', { id })).toEqual([
      ...['MCP_INVALID', 'dash_list_dashboards', 'id', 'unknown'],
    ]);
    const misspelt = await refused('dash_get_node', { id, nodeid: 'scores' });
    expect(misspelt.details.known?.[0]).toBe('nodeId');
    expect((await refused('dash_validate_patch', { ops: [] })).code).toBe('MCP_INVALID');
    expect((await refused('dash_validate_patch', { id })).code).toBe('PATCH_INVALID');
    expect((await refused('dash_validate_patch', { id, ops: {} })).code).toBe('PATCH_INVALID');
  });

  it('name what exists, the nearest first, when something does not', async () => {
    const document = await refused('dash_get_outline', { id: 'team-puls' });
    expect(document).toMatchObject({ code: 'STORAGE_NOT_FOUND', details: { id: 'team-puls' } });
    const node = await refused('dash_get_node', { id, nodeId: 'score' });
    expect(node).toMatchObject({ code: 'CHANGESET_TARGET_NOT_FOUND', details: { id, nodeId: 'score' } });
    expect(node.details.known?.[0]).toBe('scores');
    const type = await refused('dash_get_schema', { type: 'tabel' });
    expect(type).toMatchObject({ code: 'SCHEMA_NOT_FOUND', details: { type: 'tabel' } });
    expect(type.details.known?.[0]).toBe('table');
    const skill = await refused('dash_get_skill', { name: 'variable' });
    expect(skill).toMatchObject({ code: 'MCP_SKILL_NOT_FOUND', details: { name: 'variable' } });
    expect(skill.details.known?.[0]).toBe('variables');
  });

  it.each(['../x', 'a/b', '.git', ''])('refuse the document id %j', async unsafe => {
    for (const name of ['dash_get_outline', 'dash_get_document'])
      expect((await refused(name, { id: unsafe })).code).toBe('STORAGE_ID_INVALID');
    expect((await refused('dash_validate_patch', { id: unsafe, ops: [] })).code).toBe('STORAGE_ID_INVALID');
  });
});

describe('reading', () => {
  it('outlines every node once, without configs', async () => {
    const outline = await ask<{ revision: string; root: Node }>('dash_get_outline', { id });
    const ids = (node: Node): string[] => [node.id, ...node.children.flatMap(ids)];
    expect(ids(outline.root)).toEqual([
      ...['page', 'filters', 'team-pick', 'body', 'scores-block', 'scores', 'note-block', 'note'],
    ]);
    expect(JSON.stringify(outline)).not.toMatch(/Shown for|Person|pulse"\s*,\s*"query/);
    expect(JSON.stringify(outline)).toContain('WEB / last 4 weeks');
    const node = await ask<{ revision: string }>('dash_get_node', { id, nodeId: 'scores' });
    expect(node.revision).toBe(outline.revision);
  });

  it('shows of a block the surface of its content, whose path works in a patch', async () => {
    const node = await ask<Fields & { subtree: object }>('dash_get_node', { id, nodeId: 'scores-block' });
    expect(node.surface).toEqual([
      { key: 'columns', type: 'array' },
      { key: 'query', type: 'object' },
      { key: 'title', type: 'string' },
    ]);
    expect(node.subtree).toMatchObject({ config: { content: { id: 'scores', type: 'table' } } });
    const path = `${node.surfacePath}/title`;
    await ask('dash_validate_patch', validate({ op: 'replace', path, value: 'Pinned' }));
  });

  it('lists the item types, then the envelope, and hands out each', async () => {
    const { types } = await ask<{ types: string[] }>('dash_list_schemas');
    expect(types).toEqual([...[...catalog.items.keys()].sort(), 'dashboard']);
    for (const type of [...types, 'theme', 'connection/http', 'connection/static', 'table@1.0.0']) {
      expect(await ask('dash_get_schema', { type })).toMatchObject({
        type,
        schema: { $id: expect.any(String) },
      });
    }
  });

  it('adds the resolved tree only on request', async () => {
    const document = (args: object) => ask<object>('dash_get_document', { id, ...args });
    expect(await document({})).toEqual({ id, document: teamPulse() });
    expect(await document({ resolved: false })).toEqual({ id, document: teamPulse() });
    expect(await document({ resolved: true })).toMatchObject({
      document: teamPulse(),
      resolved: { root: { id: 'page', role: 'region' } },
    });
  });

  it('lists a corrupt file by its id and answers for the others', async () => {
    await writeFile(join(directory, 'broken.json'), '{"manifest":');
    await writeFile(
      join(directory, 'deep.json'),
      `{"manifest":{"id":"deep"},"root":${'['.repeat(5000)}${']'.repeat(5000)}}`,
    );
    try {
      expect(await ask('dash_list_dashboards')).toEqual({
        dashboards: [{ id: 'broken' }, { id: 'deep' }, { id, title: 'Team pulse' }],
      });
      expect((await refused('dash_get_outline', { id: 'broken' })).code).toBe('STORAGE_INVALID');
      expect(await refused('dash_get_outline', { id: 'deep' })).toMatchObject({
        code: 'RESOLVE_DOCUMENT_INVALID',
        details: { reason: 'limit' },
      });
      await ask('dash_get_outline', { id });
    } finally {
      await Promise.all(['broken', 'deep'].map(name => rm(join(directory, `${name}.json`))));
    }
  });

  it('lists types, skills and documents in the manifest', async () => {
    const manifest = await ask<Record<string, unknown[]>>('dash_get_manifest');
    const { types } = await ask<{ types: string[] }>('dash_list_schemas');
    const { skills } = await ask<{ skills: { name: string; description: string }[] }>('dash_list_skills');
    expect(manifest).toMatchObject({
      server: 'dash',
      version: 'dev',
      formatVersion: '1.0.0',
      itemTypes: types,
      skills: skills.map(({ name, description }) => ({ name, description })),
      dashboards: [{ id, title: 'Team pulse' }],
      dashboardCount: 1,
      store: { kind: 'fs', revisions: true, history: false },
      capabilities: { read: true, simulate: true, persist: false, writeEndpoint: 'POST /api/patch' },
    });
    expect(manifest['tools']?.map(tool => (tool as Described).name)).toEqual(tools.map(({ name }) => name));
    expect(manifest['connectionTypes']).toMatchObject([{ name: 'http' }, { name: 'static' }]);
  });
});

describe('trying changesets', () => {
  it('previews every edit of a long changeset', async () => {
    const ops = JSON.parse(
      await readFile(new URL('long-changeset.json', import.meta.url), 'utf8'),
    ) as unknown[];
    const answer = await ask<{ preview: unknown; baseRevision: string; changes: unknown[] }>(
      'dash_validate_patch',
      { id, ops },
    );
    const preview = JSON.stringify(answer.preview);
    for (const edit of ['Team pulse (weekly)', '"columns":[3,2]', '"max":10', 'Goal 4.5', 'people-ops'])
      expect(preview).toContain(edit);
    const { revision } = await ask<{ revision: string }>('dash_get_outline', { id });
    expect(answer.baseRevision).toBe(revision);
    expect(answer.changes).toContainEqual({
      kind: 'changed',
      nodeId: '$manifest',
      field: 'title',
      from: 'Team pulse',
      to: 'Team pulse (weekly)',
    });
  });

  it.each([
    ['replace', '/scores/config/connectionId', 'x', 'PATCH_OFF_SURFACE', {}],
    [
      'replace',
      '/scores/config/columns/0/header',
      'Who',
      'PATCH_OFF_SURFACE',
      { surface: ['columns', 'query', 'title'] },
    ],
    [
      'replace',
      '/scores-block/config/columns',
      [],
      'PATCH_OFF_SURFACE',
      { suggestedPath: '/scores/config/columns' },
    ],
    ['replace', '/body/config/grid/gap', 'wide', 'PATCH_VALUE_INVALID', { expected: 'number' }],
    [
      'replace',
      '/$theme/tone',
      'loud',
      'PATCH_VALUE_INVALID',
      { allowed: expect.arrayContaining(['accent']) },
    ],
    ['replace', '/ghost/config/title', 'x', 'CHANGESET_TARGET_NOT_FOUND', { nodeId: 'ghost' }],
    [
      'remove',
      '/note',
      undefined,
      'PATCH_STRUCTURE_INVALID',
      { cause: expect.objectContaining({ code: 'WRAPPER_CHILD_COUNT_INVALID' }) },
    ],
    [
      'add',
      '/page/children/-',
      block('b', { id: 'c', type: 'markdown', config: { source: 'x' } }),
      'PATCH_STRUCTURE_INVALID',
      { cause: expect.objectContaining({ code: 'GRAMMAR_ROOT_CHILD_INVALID' }) },
    ],
    [
      'add',
      '/scores-block/placement/colStart',
      9,
      'PATCH_STRUCTURE_INVALID',
      { cause: expect.objectContaining({ code: 'LAYOUT_PLACEMENT_OUT_OF_BOUNDS' }) },
    ],
    ['remove', '/$variables/0', undefined, 'VAR_UNDEFINED', { visible: expect.any(Array) }],
    ['test', '/$manifest/title', 'Other', 'PATCH_APPLY_FAILED', { reason: 'test', actual: 'Team pulse' }],
  ])('refuses %s %s', async (op, path, value, code, details) => {
    const operation = value === undefined ? { op, path } : { op, path, value };
    expect(await refused('dash_validate_patch', validate(operation))).toMatchObject({ code, details });
  });

  it('reports every independent fault of a config at once', async () => {
    const wrong = { id: 'm', type: 'metric', config: { connectionId: 'pulse', format: 'roman', digits: 99 } };
    const fault = await refused(
      'dash_validate_patch',
      validate({ op: 'add', path: '/body/children/-', value: block('b', wrong) }),
    );
    expect(fault.code).toBe('RESOLVE_CONFIG_INVALID');
    const pointers = (fault.details['violations'] as { pointer: string }[]).map(({ pointer }) => pointer);
    expect(pointers).toEqual(expect.arrayContaining(['/format', '/digits']));
  });

  it('repairs a stored document that no longer resolves', async () => {
    const hurt = { ...teamPulse(), theme: { tone: 'loud' } };
    const path = join(directory, 'hurt.json');
    await writeFile(path, JSON.stringify({ ...hurt, manifest: { formatVersion: '1.0.0', id: 'hurt' } }));
    try {
      expect(await ask('dash_get_outline', { id: 'hurt' })).toMatchObject({
        problem: { code: 'RESOLVE_DOCUMENT_INVALID' },
        root: { id: 'page' },
      });
      await ask('dash_get_node', { id: 'hurt', nodeId: '$theme' });
      expect((await refused('dash_validate_patch', { id: 'hurt', ops: [] })).code).toBe(
        'RESOLVE_DOCUMENT_INVALID',
      );
      const ops = [{ op: 'replace', path: '/$theme/tone', value: 'accent' }];
      expect(await ask('dash_validate_patch', { id: 'hurt', ops })).toMatchObject({ ok: true });
    } finally {
      await rm(path);
    }
  });

  it('takes every surface key of every node and scope as the tail of a path', async () => {
    const nodes = [
      'page',
      'filters',
      'team-pick',
      'body',
      'scores-block',
      'scores',
      'note-block',
      'note',
      '$root',
    ];
    let tried = 0;
    for (const nodeId of [...nodes, '$manifest', '$theme', '$variables', '$connections']) {
      const node = await ask<Fields>('dash_get_node', { id, nodeId });
      const own = (node.ownSurface ?? []).map(field => ({ ...field, prefix: `/${nodeId}/config` }));
      const shown = node.surface.map(field => ({ ...field, prefix: node.surfacePath ?? '' }));
      for (const { prefix, key, type } of [...shown, ...own]) {
        const path = `${prefix}/${key.replaceAll('.', '/')}`;
        await ask('dash_validate_patch', validate({ op: 'add', path, value: fitting(key, type) }));
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(40);
  });
});

/** A value that the field takes whatever else the config holds. */
function fitting(key: string, type: string): Json {
  if (type === 'enum') return allowed(key)[0] ?? '';
  if (key === 'columns') return [{ header: 'Person', field: 'person' }];
  if (key === 'grid.columns') return [1, 1];
  if (key === 'grid') return { columns: [1, 1] };
  if (key === 'query') return { weeks: 2 };
  return { string: 'text', number: 1, integer: 1, boolean: true, array: [1], object: {} }[type] ?? null;
}

function allowed(key: string): Json[] {
  const surfaces = [
    ...[...catalog.items.values()].flat().map(({ surface }) => surface),
    ...Object.values(catalog.scopeSurfaces),
  ];
  const field = surfaces.flat().find(entry => entry.field === key && entry.type === 'enum');
  return (field?.constraints?.['enum'] as Json[] | undefined) ?? [];
}

it('on a git store tries without a trace, knows history and insists on secrets when told to', async () => {
  const root = await mkdtemp(join(tmpdir(), 'dash-mcp-git-'));
  git(root, 'init', '-q');
  await writeFile(join(root, `${id}.json`), text);
  git(root, 'add', '.');
  git(root, '-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '-q', '-m', 'first');
  const elsewhere = new RawHost(['--store', 'git', '--root', root, '--require-secrets'], tmpdir());
  try {
    await elsewhere.initialize();
    const before = git(root, 'rev-parse', 'HEAD') + git(root, 'status', '--porcelain');
    const ops = [{ op: 'replace', path: '/$manifest/title', value: 'Weekly' }];
    const tried = (await elsewhere.tool('dash_validate_patch', { id, ops })).structuredContent;
    const outline = (await elsewhere.tool('dash_get_outline', { id })).structuredContent;
    expect(tried).toMatchObject({ ok: true, baseRevision: outline?.['revision'] });
    expect(git(root, 'rev-parse', 'HEAD') + git(root, 'status', '--porcelain')).toBe(before);
    const config = {
      url: 'https://example.com/',
      headers: { authorization: { $secret: 'DASH_TEST_UNSET' } },
    };
    const secret = { op: 'add', path: '/$connections/-', value: { id: 'api', type: 'http', config } };
    expect(
      (await elsewhere.tool('dash_validate_patch', { id, ops: [secret] })).structuredContent,
    ).toMatchObject({
      ok: false,
      code: 'SECRET_MISSING',
      details: { name: 'DASH_TEST_UNSET' },
    });
    expect((await elsewhere.tool('dash_get_manifest')).structuredContent).toMatchObject({
      store: { kind: 'git', revisions: true, history: true },
    });
  } finally {
    await elsewhere.hangUp();
    await rm(root, { recursive: true });
  }
});
