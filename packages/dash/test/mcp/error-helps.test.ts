// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the documents interpolate, the program does not
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { teamPulse } from '../resolve/team-pulse.ts';
import { type Told, type Tools, toolsOn } from './in-process.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));
const examples: Record<string, JsonObject> = Object.fromEntries(
  readdirSync(EXAMPLES)
    .filter(file => file.endsWith('.json'))
    .map(file => [basename(file, '.json'), JSON.parse(readFileSync(`${EXAMPLES}${file}`, 'utf8'))]),
);

const id = 'team-pulse';
let folder: Awaited<ReturnType<typeof toolsOn>>;
let tools: Tools;

beforeAll(async () => {
  folder = await toolsOn({ [id]: teamPulse(), ...examples });
  tools = folder.tools;
});

afterAll(() => folder.stop());

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

async function refused(
  ops: readonly Operation[],
  code: string,
  document = id,
): Promise<Told['data']['details']> {
  const { data, text } = await tools.validate(document, ops, { preview: 'none' });
  expect(data).toMatchObject({ ok: false, code });
  expect(
    Buffer.byteLength(JSON.stringify({ ...data, details: { ...data.details, suggestedOps: undefined } })),
  ).toBeLessThanOrEqual(8 * 1024);
  expect(text).not.toMatch(/[^ ] {2}/);
  return data.details;
}

async function accepted(ops: readonly unknown[], document = id): Promise<void> {
  const { data } = await tools.validate(document, ops, { preview: 'none' });
  expect(data).toMatchObject({ ok: true });
}

describe('a path off the surface is corrected by suggestedPath', () => {
  it.each([
    ['a dotted key', '/body/config/grid.columns', [1, 1], '/body/config/grid/columns'],
    ['a dotted key without config', '/body/grid.gap', 2, '/body/config/grid/gap'],
    ['a field without config', '/scores/title', 'Points', '/scores/config/title'],
    ['a misspelt field', '/scores/config/titel', 'Points', '/scores/config/title'],
    ['a misspelt field without config', '/scores/titel', 'Points', '/scores/config/title'],
    ['a misspelt dotted key', '/body/config/grid.colums', [1, 1], '/body/config/grid/columns'],
    ['content through its block', '/note-block/config/source', 'Text', '/note/config/source'],
    ['content through its block without config', '/note-block/source', 'Text', '/note/config/source'],
    ['misspelt content through its block', '/note-block/config/sorce', 'Text', '/note/config/source'],
    [
      'content by its whole way',
      '/page/children/1/children/1/config/content/source',
      'Text',
      '/note/config/source',
    ],
    ['a misspelt field of the manifest', '/$manifest/titel', 'Points', '/$manifest/title'],
    ['a field of the manifest below config', '/$manifest/config/title', 'Points', '/$manifest/title'],
    ['a misspelt token', '/$theme/tonne', 'accent', '/$theme/tone'],
  ])('%s', async (_name, path, value, suggestedPath) => {
    const details = await refused([{ op: 'add', path, value }], 'PATCH_OFF_SURFACE');
    expect(details.suggestedPath).toBe(suggestedPath);
    await accepted([{ op: 'add', path: details.suggestedPath, value }]);
  });

  it('a member below a field, with the value to replace whole', async () => {
    const operation = { op: 'replace', path: '/scores/config/query/weeks', value: 2 };
    const details = await refused([operation], 'PATCH_OFF_SURFACE');
    expect(details).toMatchObject({ suggestedPath: '/scores/config/query', hint: 'replace query whole' });
    const value = { ...details.stored, weeks: 2 };
    await accepted([{ op: 'replace', path: details.suggestedPath, value }]);
  });

  it('lists the surface, the nearest first', async () => {
    const details = await refused(
      [{ op: 'add', path: '/scores/config/colours', value: [] }],
      'PATCH_OFF_SURFACE',
    );
    expect(details.surface[0]).toBe('columns');
  });

  it('a field that is nothing like any gets no suggestion', async () => {
    const path = '/scores/config/connectionId';
    expect(await refused([{ op: 'replace', path, value: 'x' }], 'PATCH_OFF_SURFACE')).not.toHaveProperty(
      'suggestedPath',
    );
  });
});

describe('a target that does not exist', () => {
  it.each([
    ['/root/children/-', { id: 'more', type: 'container', children: [] }],
    ['/variables/-', { name: 'region', type: 'string', default: 'eu' }],
    ['/manifest/title', 'Weekly'],
    ['/theme/tone', 'accent'],
    ['/connections/-', { id: 'more', type: 'static', config: { rows: [] } }],
  ])('%s is a scope without its $', async (path, value) => {
    const details = await refused([{ op: 'add', path, value }], 'CHANGESET_TARGET_NOT_FOUND');
    expect(details.suggestedPath).toBe(`/$${path.slice(1)}`);
    await accepted([{ op: 'add', path: details.suggestedPath, value }]);
  });

  it('is answered with nodes and scopes, the nearest first', async () => {
    const remove = await refused(
      [{ op: 'replace', path: '/variable/0/default', value: 'core' }],
      'CHANGESET_TARGET_NOT_FOUND',
    );
    expect(remove.known[0]).toBe('$variables');
    await accepted([{ op: 'replace', path: `/${remove.known[0]}/0/default`, value: 'core' }]);
    const node = await refused(
      [{ op: 'add', path: '/score/config/title', value: 'x' }],
      'CHANGESET_TARGET_NOT_FOUND',
    );
    await accepted([{ op: 'add', path: `/${node.known[0]}/config/title`, value: 'x' }]);
  });
});

describe('an operation that cannot be applied', () => {
  it.each([
    ['/note-block/config/title', 'A note'],
    ['/$manifest/description', 'Scores of the week'],
    ['/team-pick/config/disabled', true],
    ['/scores-block/config/theme/tone', 'accent'],
  ])('replaces %s, which is absent: use add', async (path, value) => {
    const details = await refused([{ op: 'replace', path, value }], 'PATCH_APPLY_FAILED');
    expect(details.hint).toBe('use add');
    await accepted([{ op: 'add', path, value }]);
  });

  it.each([
    ['replace', '/$connections/pulse/config/rows', [], '/$connections/0/config/rows'],
    ['add', '/$connections/pulse/secretRefs', {}, '/$connections/0/secretRefs'],
    ['replace', '/$variables/weeks/default', 3, '/$variables/1/default'],
    ['add', '/$variables/region', { name: 'region', type: 'string' }, '/$variables/-'],
    ['add', '/body/children/note-block', { id: 'b', type: 'container', children: [] }, '/note-block'],
    ['add', '/body/children/more', { id: 'more', type: 'container', children: [] }, '/body/children/-'],
    ['remove', '/body/children/note-block', undefined, '/note-block'],
  ])('%s %s names an entry where its index stands', async (op, path, value, suggestedPath) => {
    const operation = value === undefined ? { op, path } : { op, path, value };
    const details = await refused([operation], 'PATCH_APPLY_FAILED');
    expect(details.suggestedPath).toBe(suggestedPath);
    await accepted([{ ...operation, path: details.suggestedPath }]);
  });

  it('moves a node that is named below children', async () => {
    const move = { op: 'move', from: '/body/children/note-block', path: '/body/children/0' };
    const details = await refused([move], 'PATCH_APPLY_FAILED');
    await accepted([{ ...move, from: details.suggestedPath }]);
  });
});

describe('an expression in ${}', () => {
  it.each([
    ['Last ${weeks * 7} days', 'number', '/$variables/-'],
    ['For ${upper(team)}', 'string', '/$variables/-'],
    ['For ${team == "web"}', 'boolean', '/$variables/-'],
    ['Week ${weeks + 1}', 'number', '/$variables/-'],
  ])('%s is a computed variable, ready to add', async (title, type, suggestedPath) => {
    const retitle = (text: string) => ({ op: 'add', path: '/note-block/config/title', value: text });
    const details = await refused([retitle(title)], 'VAR_UNDEFINED');
    expect(details.variable).toMatchObject({ type, expr: /\$\{(.*)\}/.exec(title)?.[1] });
    expect(details.suggestedPath).toBe(suggestedPath);
    expect(details.hint).toContain(`\${${details.variable.name}}`);
    const named = title.replace(/\$\{.*\}/, () => `\${${details.variable.name}}`);
    await accepted([{ op: 'add', path: details.suggestedPath, value: details.variable }, retitle(named)]);
  });

  it('of a variable of a node is added to the node that uses it', async () => {
    const local = {
      op: 'add',
      path: '/body/variables',
      value: [{ name: 'goal', type: 'number', default: 4 }],
    };
    const retitle = (text: string) => ({ op: 'add', path: '/note-block/config/title', value: text });
    const details = await refused([local, retitle('Goal ${goal * 2}')], 'VAR_UNDEFINED');
    expect(details.suggestedPath).toBe('/note-block/variables/-');
    const add = { op: 'add', path: details.suggestedPath, value: details.variable };
    await accepted([local, add, retitle(`Goal \${${details.variable.name}}`)]);
  });

  it.each(['${nobody + 1}', '${weeks +}', '${}', '${no name}'])('%s gets no variable', async title => {
    const details = await refused(
      [{ op: 'add', path: '/note-block/config/title', value: title }],
      'VAR_UNDEFINED',
    );
    expect(details).not.toHaveProperty('variable');
  });

  it('knows the variables, the nearest first', async () => {
    const details = await refused(
      [{ op: 'add', path: '/note-block/config/title', value: '${week}' }],
      'VAR_UNDEFINED',
    );
    await accepted([{ op: 'add', path: '/note-block/config/title', value: `\${${details.visible[0]}}` }]);
  });
});

describe('a renaming', () => {
  const appended = async (ops: readonly Operation[], code: string, document = id) => {
    const details = await refused(ops, code, document);
    expect(details.hint).toBe('append suggestedOps to ops');
    expect(details.suggestedOps.length).toBeLessThanOrEqual(50);
    expect(JSON.stringify(details.suggestedOps).length).toBeLessThanOrEqual(16 * 1024);
    await accepted([...ops, ...details.suggestedOps], document);
    return details;
  };

  it('of a variable tells the uses of every stage and carries through', async () => {
    const details = await appended(
      [{ op: 'replace', path: '/$variables/0/name', value: 'squad' }],
      'VAR_UNDEFINED',
    );
    const told = [{ code: 'VAR_UNDEFINED', details }, ...details.also];
    const forms = told.map(fault => fault.details.form);
    expect(new Set(forms)).toEqual(new Set(['expr', '${}', 'widget']));
    expect(told.every(fault => fault.code === 'VAR_UNDEFINED' && fault.details.name === 'team')).toBe(true);
  });

  it('of a connection', async () => {
    const ops = [{ op: 'replace', path: '/$connections/0/id', value: 'scores-api' }];
    await appended(ops, 'BINDING_CONNECTION_NOT_FOUND');
  });

  it('of a connection that is removed and added again under another name', async () => {
    const { connections } = teamPulse() as unknown as { connections: object[] };
    const ops = [
      { op: 'remove', path: '/$connections/0' },
      { op: 'add', path: '/$connections/-', value: { ...connections[0], id: 'people' } },
    ];
    await appended(ops, 'BINDING_CONNECTION_NOT_FOUND');
  });

  it('to two candidates or another type suggests nothing', async () => {
    const two = [
      { op: 'replace', path: '/$variables/0/name', value: 'squad' },
      {
        op: 'add',
        path: '/$variables/-',
        value: { name: 'crew', type: 'enum', options: ['web'], default: 'web' },
      },
    ];
    expect(await refused(two, 'VAR_UNDEFINED')).not.toHaveProperty('suggestedOps');
    const typed = [{ op: 'replace', path: '/$variables/0', value: { name: 'squad', type: 'string' } }];
    expect(await refused(typed, 'VAR_UNDEFINED')).not.toHaveProperty('suggestedOps');
  });

  it('with more than 16 kB of uses suggests nothing, and still tells where they are', async () => {
    const source = '${team} '.concat('x'.repeat(20_000));
    const ops = [
      { op: 'replace', path: '/note/config/source', value: source },
      { op: 'replace', path: '/$variables/0/name', value: 'squad' },
    ];
    const details = await refused(ops, 'VAR_UNDEFINED');
    expect(details).not.toHaveProperty('suggestedOps');
    expect(details.also.length).toBeGreaterThan(0);
  });

  it('of any variable, connection or node of the examples carries through in one round', async () => {
    const renamings = Object.entries(examples).flatMap(([document, data]) => renamingsOf(document, data));
    expect(new Set(renamings.map(({ kind }) => kind))).toEqual(
      new Set(['variable', 'local', 'connection', 'node']),
    );
    let carried = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...renamings),
        fc.stringMatching(/^[a-z][a-z0-9]{4,12}$/),
        async (renaming, stem) => {
          const ops = renaming.ops(`fresh_${stem}`);
          const { data } = await tools.validate(renaming.document, ops, { preview: 'none' });
          if (data.ok) return;
          expect(data.details.suggestedOps, JSON.stringify({ ops, data })).toBeDefined();
          await accepted([...ops, ...data.details.suggestedOps], renaming.document);
          carried++;
        },
      ),
      { numRuns: 150 },
    );
    expect(carried).toBeGreaterThan(50);
  });
});

interface Renamed {
  readonly kind: 'variable' | 'local' | 'connection' | 'node';
  readonly document: string;
  ops(name: string): Operation[];
}

/** Every way to rename something that is declared in a document. */
function renamingsOf(document: string, { variables, connections, root }: JsonObject): Renamed[] {
  const renamed = (kind: Renamed['kind'], path: string) => ({
    kind,
    document,
    ops: (value: string) => [{ op: 'replace', path, value }],
  });
  const entries = (list: unknown, kind: Renamed['kind'], prefix: string, key: string): Renamed[] =>
    Array.isArray(list) ? list.map((_, index) => renamed(kind, `${prefix}/${index}/${key}`)) : [];
  return [
    ...entries(variables, 'variable', '/$variables', 'name'),
    ...entries(connections, 'connection', '/$connections', 'id'),
    ...nodesOf(root as JsonObject).flatMap(node => [
      ...entries(node['variables'], 'local', `/${node['id']}/variables`, 'name'),
      ...(targets(root as JsonObject).has(String(node['id']))
        ? [
            {
              kind: 'node' as const,
              document,
              ops: (name: string) => [
                { op: 'replace', path: `/${node['id']}`, value: { ...node, id: name } },
              ],
            },
          ]
        : []),
    ]),
  ];
}

function nodesOf(node: JsonObject): JsonObject[] {
  const content = (node['config'] as JsonObject | undefined)?.['content'];
  const below = [
    ...((node['children'] as JsonObject[] | undefined) ?? []),
    ...(content ? [content as JsonObject] : []),
  ];
  return [node, ...below.flatMap(nodesOf)];
}

/** Ids that configurators name. */
function targets(root: JsonObject): Set<string> {
  return new Set(nodesOf(root).map(({ config }) => String((config as JsonObject | undefined)?.['target'])));
}
