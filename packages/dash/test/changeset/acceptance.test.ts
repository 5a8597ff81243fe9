import { describe, expect, it } from 'vitest';
import { loadCatalog } from '#src/catalog/index.ts';
import type { SurfaceField } from '#src/catalog/node-types.ts';
import { nodeTypes } from '#src/catalog/reference.ts';
import { applyChangeset } from '#src/changeset/apply.ts';
import { changesBetween } from '#src/changeset/changes.ts';
import { NodeTree } from '#src/changeset/node-tree.ts';
import { parseChangeset } from '#src/changeset/parse.ts';
import type { Json } from '#src/document/json.ts';
import type { DashError } from '#src/errors.ts';
import { teamPulse } from './team-pulse.ts';

const types = nodeTypes(loadCatalog());
const patched = (ops: unknown) => applyChangeset('team-pulse', teamPulse(), parseChangeset(ops), types);

/** A value that fits a field whatever its meaning. */
function fitting({ type, allowed }: SurfaceField): Json {
  const values = {
    string: 'text',
    number: 1.5,
    integer: 2,
    boolean: true,
    array: [],
    object: {},
    enum: allowed?.[0] ?? '',
  };
  return values[type];
}

describe('with the shipped types', () => {
  it('every surface key of every node and scope is the tail of a valid path', () => {
    const nodes = new NodeTree(teamPulse(), types).positions.map(({ node, type }) => ({
      prefix: `/${String(node['id'])}/config`,
      surface: type?.surface ?? new Map<string, SurfaceField>(),
    }));
    const scopes = (['$manifest', '$theme'] as const).map(scope => ({
      prefix: `/${scope}`,
      surface: types.scopeSurface(scope),
    }));
    const paths = [...nodes, ...scopes].flatMap(({ prefix, surface }) =>
      [...surface].map(([key, field]) => ({
        op: 'add',
        path: `${prefix}/${key.replaceAll('.', '/')}`,
        value: fitting(field),
      })),
    );
    expect(paths.length).toBeGreaterThan(40);
    for (const operation of paths) expect(() => patched([operation]), operation.path).not.toThrow();
  });

  it('the example changeset makes exactly its edits', () => {
    const slider = {
      id: 'target-slide',
      type: 'slider',
      config: { variable: 'target', min: 0, max: 5, step: 0.5 },
    };
    const head = { id: 'head', type: 'heading', config: { text: 'Goal', level: 2 } };
    const after = patched([
      { op: 'test', path: '/$manifest/title', value: 'Team pulse' },
      { op: 'replace', path: '/$manifest/title', value: 'Team pulse (weekly)' },
      { op: 'replace', path: '/body/config/grid/columns', value: [3, 2] },
      { op: 'add', path: '/$variables/-', value: { name: 'target', type: 'number', default: 4.5 } },
      { op: 'add', path: '/filters/children/-', value: slider },
      { op: 'replace', path: '/target-slide/config/max', value: 10 },
      {
        op: 'add',
        path: '/body/children/-',
        value: { id: 'head-block', type: 'block', config: { content: head } },
      },
      { op: 'replace', path: '/note-block/config/theme/tone', value: 'positive' },
      { op: 'move', from: '/note-block', path: '/body/children/0' },
      { op: 'add', path: '/scores-block/metadata', value: { owner: 'people-ops' } },
    ]);
    const told = changesBetween(teamPulse(), after, types).changes.map(({ kind, nodeId, field }) =>
      [kind, nodeId, ...(field === undefined ? [] : [field])].join(' '),
    );
    expect(told).toEqual([
      'changed $manifest title',
      'added $variables target',
      'added target-slide',
      'changed body config.grid.columns',
      'moved note-block',
      'changed note-block config.theme.tone',
      'added scores-block metadata.owner',
      'added head-block',
    ]);
  });

  it.each([
    [{ op: 'replace', path: '/scores/config/connectionId', value: 'x' }, 'PATCH_OFF_SURFACE'],
    [{ op: 'replace', path: '/scores/config/columns/0/header', value: 'Who' }, 'PATCH_OFF_SURFACE'],
    [{ op: 'replace', path: '/scores-block/config/columns', value: [] }, 'PATCH_OFF_SURFACE'],
    [{ op: 'replace', path: '/body/config/grid/gap', value: 'wide' }, 'PATCH_VALUE_INVALID'],
    [{ op: 'replace', path: '/$theme/tone', value: 'loud' }, 'PATCH_VALUE_INVALID'],
    [{ op: 'replace', path: '/ghost/config/title', value: 'x' }, 'CHANGESET_TARGET_NOT_FOUND'],
    [{ op: 'remove', path: '/note' }, 'PATCH_STRUCTURE_INVALID'],
    [{ op: 'test', path: '/$manifest/title', value: 'Other' }, 'PATCH_APPLY_FAILED'],
  ])('%j is refused', (operation, code) => {
    expect(() => patched([operation])).toThrowError(expect.objectContaining({ code }) as DashError);
  });
});
