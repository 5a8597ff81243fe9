// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the documents interpolate, the program does not
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inputSchema } from '#src/mcp/arguments.ts';
import { DASH_TOOLS } from '#src/mcp/server.ts';
import { catalog, teamPulse } from '../resolve/team-pulse.ts';
import { hundredCharts } from './hundred-charts.ts';
import { Tools, toolsOn } from './in-process.ts';

let folder: Awaited<ReturnType<typeof toolsOn>>;
let tools: Tools;

beforeAll(async () => {
  folder = await toolsOn({ hundred: hundredCharts(), 'team-pulse': teamPulse() });
  tools = folder.tools;
});

afterAll(() => folder.stop());

const retitle = [{ op: 'replace', path: '/latency-50/config/title', value: 'p95 latency of the checkout' }];

describe('the answer to a changeset', () => {
  it('to one title among a hundred charts is short when asked to be', async () => {
    const full = await tools.validate('hundred', retitle);
    const changed = await tools.validate('hundred', retitle, { preview: 'changed' });
    const none = await tools.validate('hundred', retitle, { preview: 'none' });
    expect(full.text.length).toBeGreaterThan(20_000);
    expect(changed.text.length).toBeLessThanOrEqual(2_000);
    expect(none.text.length).toBeLessThanOrEqual(700);
    for (const answer of [changed, none]) {
      expect(answer.data).toMatchObject({
        ok: true,
        baseRevision: full.data.baseRevision,
        changes: full.data.changes,
      });
    }
    expect(none.data).not.toHaveProperty('preview');
  });

  it('has what a host must not cut first, and the preview last', async () => {
    for (const preview of ['full', 'changed']) {
      const { data } = await tools.validate('hundred', retitle, { preview });
      expect(Object.keys(data)).toEqual(['ok', 'baseRevision', 'changes', 'preview']);
    }
  });

  it('shows the way to the changed node, its own parts, and its siblings by their ids', async () => {
    const { data } = await tools.validate('hundred', retitle, { preview: 'changed' });
    const before = Array.from({ length: 10 }, (_, at) => `latency-${at}-block`);
    const after = Array.from({ length: 10 }, (_, at) => `latency-${at + 51}-block`);
    expect(data.preview).toEqual({
      root: {
        id: 'page',
        type: 'container',
        children: [
          {
            id: 'body',
            type: 'container',
            children: [
              { unchanged: before, more: 40 },
              {
                id: 'latency-50-block',
                type: 'block',
                children: [
                  {
                    id: 'latency-50',
                    type: 'chart',
                    config: expect.objectContaining({ title: 'p95 latency of the checkout' }),
                    binding: { connectionId: 'points' },
                  },
                ],
              },
              { unchanged: after, more: 39 },
            ],
          },
        ],
      },
    });
    expect(JSON.stringify(data.preview)).not.toMatch(/surface|contract|expectedResult/);
  });

  it('shows what a variable changes though no operation touches it', async () => {
    const ops = [{ op: 'replace', path: '/$variables/0/default', value: 'core' }];
    const { data } = await tools.validate('hundred', ops, { preview: 'changed' });
    const text = JSON.stringify(data.preview);
    for (const at of [0, 1, 2]) expect(text).toContain(`"Latency ${at} of core"`);
    expect(text).not.toContain('"title":"Latency 3"');
  });

  it('shows added nodes whole, and the holder of a removed one', async () => {
    const content = { id: 'note-2', type: 'markdown', config: { source: 'For ${team}' } };
    const ops = [
      { op: 'add', path: '/body/children/-', value: { id: 'n', type: 'block', config: { content } } },
      { op: 'remove', path: '/note-block' },
    ];
    const { data } = await tools.validate('team-pulse', ops, { preview: 'changed' });
    const [, body] = data.preview.root.children;
    expect(body).toMatchObject({ id: 'body', layout: 'columns 2:1, rows 1, gap 1' });
    expect(body.children).toEqual([
      { unchanged: ['scores-block'] },
      {
        id: 'n',
        type: 'block',
        placement: 'auto col 2, row 1',
        config: expect.any(Object),
        children: [{ id: 'note-2', type: 'markdown', config: { source: 'For web' } }],
      },
    ]);
  });

  it('shows title and theme of the document', async () => {
    const ops = [
      { op: 'replace', path: '/$manifest/title', value: 'Weekly' },
      { op: 'replace', path: '/$theme/tone', value: 'accent' },
    ];
    const { data } = await tools.validate('team-pulse', ops, { preview: 'changed' });
    expect(data.preview).toEqual({
      manifest: { formatVersion: '1.0.0', id: 'team-pulse', title: 'Weekly' },
      defaultTheme: { spacing: 'cosy', tone: 'accent' },
    });
  });

  it('of nothing changed previews nothing', async () => {
    const { data } = await tools.validate('team-pulse', [], { preview: 'changed' });
    expect(data).toMatchObject({ ok: true, changes: [], preview: {} });
  });

  it('to a repair of a document that did not resolve shows what is stored otherwise', async () => {
    const hurt = { ...teamPulse(), theme: { tone: 'loud' } };
    const broken = await toolsOn({ 'team-pulse': hurt });
    const ops = [
      { op: 'replace', path: '/$theme/tone', value: 'accent' },
      { op: 'replace', path: '/note-block/config/title', value: 'A note' },
    ];
    const added = [ops[0], { ...ops[1], op: 'add' }];
    const { data } = await broken.tools.validate('team-pulse', added, { preview: 'changed' });
    expect(JSON.stringify(data.preview.root)).toContain('"A note"');
    await broken.stop();
  });

  it('is as long as the operator says where the call says nothing', async () => {
    const short = new Tools({ ...tools.context, preview: 'changed' });
    expect((await short.validate('hundred', retitle)).text.length).toBeLessThanOrEqual(2_000);
    const full = await short.validate('hundred', retitle, { preview: 'full' });
    expect(full.data.preview).toHaveProperty('surfaces');
  });
});

describe('tools/list', () => {
  it('is at most 8,000 characters', () => {
    const listed = DASH_TOOLS.map(tool => ({
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: inputSchema(tool),
      outputSchema: tool.outputSchema,
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    }));
    expect(JSON.stringify({ tools: listed }).length).toBeLessThanOrEqual(8_000);
  });
});

describe('schemas', () => {
  it('come in batches, by name', async () => {
    const { data } = await tools.call('dash_get_schema', { types: ['chart', 'theme', 'connection/http'] });
    for (const type of ['chart', 'theme', 'connection/http']) {
      const { data: one } = await tools.call('dash_get_schema', { type });
      expect(data.schemas[type]).toEqual(one.schema);
    }
    expect(Object.keys(data)).toEqual(['schemas']);
  });

  it('in brief keep every rule and the examples, and nothing that only explains', async () => {
    const types = [...catalog.items.keys()];
    for (const type of types) {
      const { data } = await tools.call('dash_get_schema', { type, brief: true });
      const whole = catalog.items.get(type)?.[0]?.schema as Record<string, object>;
      expect(data.schema.examples).toEqual(whole['examples']);
      expect(Object.keys(data.schema.properties ?? {})).toEqual(Object.keys(whole['properties'] ?? {}));
      expect(data.schema).not.toHaveProperty('behavior');
      expect(data.schema).not.toHaveProperty('configurable');
      expect(data.schema).not.toHaveProperty('description');
    }
    // A config field that is called "title" is no title of a schema.
    const { data } = await tools.call('dash_get_schema', { type: 'chart', brief: true });
    expect(data.schema.properties.title).toEqual({ type: 'string' });
  });

  it.each([
    [{}, 'type', 'missing'],
    [{ type: 'chart', types: ['chart'] }, 'type', 'twice'],
    [{ types: [] }, 'types', 'type'],
    [{ types: Array.from({ length: 1_000 }, () => 'chart') }, 'types', 'type'],
    [{ types: 'chart' }, 'types', 'type'],
    [{ types: ['x'.repeat(10_000)] }, 'types', 'type'],
    [{ type: 'chart', brief: 'yes' }, 'brief', 'type'],
  ])('refuse %j', async (args, argument, reason) => {
    const { data, text } = await tools.call('dash_get_schema', args);
    expect(data).toMatchObject({ code: 'MCP_INVALID', details: { argument, reason } });
    expect(text.length).toBeLessThan(1_000);
  });

  it('name what exists for an unknown one in a batch', async () => {
    const { data } = await tools.call('dash_get_schema', { types: ['chart', 'tabel'] });
    expect(data).toMatchObject({ code: 'SCHEMA_NOT_FOUND', details: { type: 'tabel' } });
    expect(data.details.known[0]).toBe('table');
  });
});

describe('skills', () => {
  it('come in batches', async () => {
    const { data } = await tools.call('dash_get_skill', { names: ['blocks', 'variables'] });
    const { data: blocks } = await tools.call('dash_get_skill', { name: 'blocks' });
    expect(data.skills[0]).toEqual(blocks);
    expect(data.skills[1]).toMatchObject({ name: 'variables', body: expect.stringContaining('# Var') });
  });

  it('need exactly one of name and names', async () => {
    for (const args of [{}, { name: 'blocks', names: ['blocks'] }]) {
      expect((await tools.call('dash_get_skill', args)).data.code).toBe('MCP_INVALID');
    }
  });
});

describe('a node', () => {
  it('resolved is the node alone', async () => {
    const { data } = await tools.call('dash_get_node', {
      id: 'team-pulse',
      nodeId: 'scores',
      resolved: true,
    });
    expect(data).toMatchObject({
      id: 'team-pulse',
      nodeId: 'scores',
      revision: expect.any(String),
      resolved: { id: 'scores', type: 'table', config: { title: 'WEB / last 4 weeks' } },
    });
    expect(data).not.toHaveProperty('surface');
    expect(data).not.toHaveProperty('subtree');
    expect(data.resolved).not.toHaveProperty('children');
    expect(data.resolved.binding).toEqual({ connectionId: 'pulse', query: expect.any(Object) });
  });

  it('is resolved for other values of variables', async () => {
    const args = { id: 'team-pulse', nodeId: 'scores', resolved: true, overrides: { team: 'core' } };
    expect((await tools.call('dash_get_node', args)).data.resolved.config.title).toBe('CORE / last 4 weeks');
    const document = { id: 'team-pulse', resolved: true, overrides: { weeks: 2, 'note-block.title': 'N' } };
    const { text } = await tools.call('dash_get_document', document);
    expect(text).toContain('WEB / last 2 weeks');
    expect(text).toContain('"title":"N"');
  });

  it.each([
    ['dash_get_node', { nodeId: 'scores', overrides: { team: 'core' } }, 'MCP_INVALID'],
    ['dash_get_outline', { references: '' }, 'MCP_INVALID'],
    ['dash_get_document', { overrides: { team: 'core' } }, 'MCP_INVALID'],
    ['dash_get_document', { resolved: true, overrides: ['team'] }, 'MCP_INVALID'],
    ['dash_get_document', { resolved: true, overrides: { nobody: 1 } }, 'VAR_OVERRIDE_INVALID'],
    ['dash_get_node', { nodeId: 'scores', resolved: true, overrides: { team: 3 } }, 'VAR_TYPE'],
    ['dash_get_node', { nodeId: 'score', resolved: true }, 'CHANGESET_TARGET_NOT_FOUND'],
    ['dash_get_node', { nodeId: '$variables', resolved: true }, 'CHANGESET_TARGET_NOT_FOUND'],
  ])('%s refuses %j', async (name, args, code) => {
    expect((await tools.call(name, { id: 'team-pulse', ...args })).data.code).toBe(code);
  });
});

describe('an outline', () => {
  it('shows grids, the cells of placed children, and connections', async () => {
    const { data } = await tools.call('dash_get_outline', { id: 'hundred' });
    const [body] = data.root.children;
    expect(body.grid).toBe('columns 1:1:1:1, gap 1');
    expect(data.root).not.toHaveProperty('grid');
    expect(body.children[5]).toMatchObject({
      placement: 'auto col 2, row 2',
      children: [{ id: 'latency-5', connection: 'points' }],
    });
    const pulse = (await tools.call('dash_get_outline', { id: 'team-pulse' })).data.root.children[1];
    expect(pulse).toMatchObject({ grid: 'columns 2:1, rows 1, gap 1' });
    expect(pulse.children[0].placement).toBe('col 1, row 1');
  });

  it('of an unknown document names the nearest, and the way to a new one', async () => {
    const { data } = await tools.call('dash_get_outline', { id: 'team-puls' });
    expect(data).toMatchObject({
      code: 'STORAGE_NOT_FOUND',
      details: { known: ['team-pulse', 'hundred'], hint: 'create: true' },
    });
  });
});

it('the manifest of an empty store says how to begin', async () => {
  const empty = await toolsOn({});
  const { data } = await empty.tools.call('dash_get_manifest');
  expect(data).toMatchObject({ dashboardCount: 0, hint: expect.stringContaining('create: true') });
  expect(data.capabilities.create).toBe(true);
  expect((await tools.call('dash_get_manifest')).data).not.toHaveProperty('hint');
  await empty.stop();
});
