import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyChangeset } from '#src/changeset/apply.ts';
import { parseChangeset } from '#src/changeset/parse.ts';
import { jsonEqual } from '#src/document/canonical.ts';
import type { Json, JsonObject } from '#src/document/json.ts';
import { valueAt } from '#src/document/pointer.ts';
import { DashError } from '#src/errors.ts';
import { smallTypes } from './small-types.ts';
import { teamPulse } from './team-pulse.ts';

const SEED = Number(process.env['DASH_SEED'] ?? 14);

function patched(ops: unknown, document: JsonObject = teamPulse()): JsonObject {
  return applyChangeset('team-pulse', document, parseChangeset(ops), smallTypes);
}

function fault(ops: unknown, document?: JsonObject): { code: string; details: Record<string, unknown> } {
  try {
    patched(ops, document);
  } catch (error) {
    if (error instanceof DashError) return { code: error.code, details: { ...error.details } };
    throw error;
  }
  throw new Error('the changeset was accepted');
}

function at(document: Json, pointer: string): Json | undefined {
  return valueAt(document, pointer.split('/').slice(1));
}

const BODY = '/root/children/1';
const block = (id: string, content: string): JsonObject => ({
  id,
  type: 'block',
  config: { content: { id: content, type: 'heading', config: { text: 'Goal', level: 2 } } },
});
const ids = (document: Json): unknown[] =>
  (at(document, `${BODY}/children`) as JsonObject[]).map(node => node['id']);

describe('pointers', () => {
  it('address a node by id, by position and through the content of a block alike', () => {
    const pointers = [
      '/scores/config/title',
      '/scores-block/config/content/config/title',
      '/body/children/0/config/content/config/title',
      '/$root/children/1/children/0/config/content/config/title',
    ];
    const [first, ...others] = pointers.map(path => patched([{ op: 'replace', path, value: 'T' }]));
    expect(at(first!, `${BODY}/children/0/config/content/config/title`)).toBe('T');
    for (const other of others) expect(other).toEqual(first);
  });

  it('are resolved against the document as the operations before left it', () => {
    const result = patched([
      { op: 'remove', path: '/body/children/0' },
      { op: 'replace', path: '/note/config/source', value: 'edited' },
      { op: 'add', path: '/body/children/-', value: block('goal-block', 'goal') },
      { op: 'replace', path: '/goal/config/text', value: 'New goal' },
    ]);
    expect(ids(result)).toEqual(['note-block', 'goal-block']);
    expect(at(result, `${BODY}/children/0/config/content/config/source`)).toBe('edited');
    expect(at(result, `${BODY}/children/1/config/content/config/text`)).toBe('New goal');
    const removed = [
      { op: 'remove', path: '/note-block' },
      { op: 'replace', path: '/note/config/source', value: 'x' },
    ];
    expect(fault(removed)).toMatchObject({
      code: 'CHANGESET_TARGET_NOT_FOUND',
      details: { index: 1, nodeId: 'note' },
    });
  });

  it.each([
    ['a node', '/scroes/config/title', 'scroes', 'scores'],
    ['a scope', '/$variable/0', '$variable', '$variables'],
  ])('to %s that is not there name the nearest known one', (_name, path, nodeId, nearest) => {
    const { code, details } = fault([{ op: 'add', path, value: 1 }]);
    expect(code).toBe('CHANGESET_TARGET_NOT_FOUND');
    expect(details).toMatchObject({ id: 'team-pulse', nodeId, index: 0, pointer: path });
    expect((details['known'] as string[])[0]).toBe(nearest);
  });
});

describe('guards', () => {
  it.each([
    [
      'a field off the surface',
      { op: 'replace', path: '/scores/config/connectionId', value: 'x' },
      'PATCH_OFF_SURFACE',
      { nodeId: 'scores', field: 'connectionId', surface: ['columns', 'title', 'query'] },
    ],
    [
      'a part of a field',
      { op: 'replace', path: '/scores/config/columns/0/header', value: 'Who' },
      'PATCH_OFF_SURFACE',
      { field: 'columns.0.header' },
    ],
    [
      'a dotted key as one segment',
      { op: 'replace', path: '/body/config/grid.gap', value: 2 },
      'PATCH_OFF_SURFACE',
      { field: 'grid.gap' },
    ],
    [
      'the content’s field on the wrapper',
      { op: 'replace', path: '/scores-block/config/columns', value: [] },
      'PATCH_OFF_SURFACE',
      { suggestedPath: '/scores/config/columns' },
    ],
    [
      'off the surface through children',
      { op: 'replace', path: '/body/children/0/config/content/config/connectionId', value: 'x' },
      'PATCH_OFF_SURFACE',
      { nodeId: 'scores' },
    ],
    [
      'off the surface through the block',
      { op: 'replace', path: '/scores-block/config/content/config/connectionId', value: 'x' },
      'PATCH_OFF_SURFACE',
      { nodeId: 'scores' },
    ],
    [
      'the whole manifest',
      { op: 'replace', path: '/$manifest', value: {} },
      'PATCH_OFF_SURFACE',
      { reason: 'immutable' },
    ],
    [
      'the manifest’s id',
      { op: 'replace', path: '/$manifest/id', value: 'other' },
      'PATCH_OFF_SURFACE',
      { nodeId: '$manifest' },
    ],
    [
      'a node’s id',
      { op: 'replace', path: '/note/id', value: 'x' },
      'PATCH_OFF_SURFACE',
      { reason: 'immutable' },
    ],
    [
      'a node’s type',
      { op: 'replace', path: '/note/type', value: 'x' },
      'PATCH_OFF_SURFACE',
      { reason: 'immutable' },
    ],
    [
      'a whole config',
      { op: 'replace', path: '/note/config', value: {} },
      'PATCH_OFF_SURFACE',
      { reason: 'immutable' },
    ],
    [
      'a move that takes an off-surface field away',
      { op: 'move', from: '/scores/config/connectionId', path: '/scores/config/title' },
      'PATCH_OFF_SURFACE',
      { pointer: '/scores/config/connectionId' },
    ],
    [
      'text for a number',
      { op: 'replace', path: '/body/config/grid/gap', value: 'wide' },
      'PATCH_VALUE_INVALID',
      { field: 'grid.gap', expected: 'number' },
    ],
    [
      'null',
      { op: 'add', path: '/scores/config/title', value: null },
      'PATCH_VALUE_INVALID',
      { expected: 'string' },
    ],
    [
      'a value outside an enum',
      { op: 'replace', path: '/$theme/tone', value: 'loud' },
      'PATCH_VALUE_INVALID',
      { expected: 'enum', allowed: expect.arrayContaining(['accent']) },
    ],
    [
      'a copy of a value that does not fit',
      { op: 'copy', from: '/scores/config/columns', path: '/scores/config/title' },
      'PATCH_VALUE_INVALID',
      { field: 'title' },
    ],
    [
      'the removal of a content',
      { op: 'remove', path: '/note' },
      'PATCH_STRUCTURE_INVALID',
      {
        cause: {
          code: 'WRAPPER_CHILD_COUNT_INVALID',
          details: { nodeId: 'note-block', count: 0, path: 'root.children[1].children[1]' },
        },
      },
    ],
    [
      'the removal of the root',
      { op: 'remove', path: '/$root' },
      'PATCH_STRUCTURE_INVALID',
      { reason: 'root' },
    ],
    [
      'a move of the root',
      { op: 'move', from: '/page', path: '/body/children/-' },
      'PATCH_STRUCTURE_INVALID',
      { reason: 'root' },
    ],
    [
      'a move of a node into data',
      { op: 'move', from: '/note-block', path: '/$variables/-' },
      'PATCH_STRUCTURE_INVALID',
      { reason: 'mixed_endpoints' },
    ],
    [
      'a move into itself',
      { op: 'move', from: '/body', path: '/body/children/-' },
      'PATCH_APPLY_FAILED',
      { reason: 'descendant' },
    ],
    [
      'a replacement of an absent field',
      { op: 'replace', path: '/note-block/config/title', value: 'x' },
      'PATCH_APPLY_FAILED',
      { reason: 'missing' },
    ],
    [
      'an index out of range',
      { op: 'add', path: '/body/children/7', value: block('b', 'c') },
      'PATCH_APPLY_FAILED',
      { reason: 'index' },
    ],
    [
      'a path below an absent child',
      { op: 'test', path: '/body/children/9/id', value: 'x' },
      'PATCH_APPLY_FAILED',
      { reason: 'parent' },
    ],
    [
      'a failing test',
      { op: 'test', path: '/$manifest/title', value: 'Other' },
      'PATCH_APPLY_FAILED',
      { reason: 'test', actual: 'Team pulse' },
    ],
    [
      'a node without id',
      { op: 'add', path: '/body/children/-', value: { type: 'block' } },
      'PATCH_ID_INVALID',
      { reason: 'missing' },
    ],
    [
      'a child that is no object',
      { op: 'add', path: '/body/children/-', value: 5 },
      'PATCH_ID_INVALID',
      { reason: 'not_an_object' },
    ],
    [
      'a bad id deep inside',
      { op: 'add', path: '/body/children/-', value: block('fine', 'not/fine') },
      'PATCH_ID_INVALID',
      { id: 'not/fine', reason: 'grammar' },
    ],
    [
      'a content id that exists elsewhere',
      { op: 'add', path: '/body/children/-', value: block('fresh', 'scores') },
      'PATCH_ID_INVALID',
      { id: 'scores', reason: 'duplicate' },
    ],
    [
      'a copy of a node',
      { op: 'copy', from: '/note-block', path: '/body/children/-' },
      'PATCH_ID_INVALID',
      { reason: 'duplicate' },
    ],
  ])('refuse %s', (_name, operation, code, details) => {
    expect(fault([operation])).toMatchObject({ code, details: { index: 0, ...details } });
  });

  it('let test read anything, and copy read its source freely', () => {
    const result = patched([
      { op: 'test', path: '/scores/config/connectionId', value: 'pulse' },
      { op: 'test', path: '/$manifest', value: at(teamPulse(), '/manifest') },
      { op: 'copy', from: '/scores/config/connectionId', path: '/scores/config/title' },
    ]);
    expect(at(result, `${BODY}/children/0/config/content/config/title`)).toBe('pulse');
  });

  it('end copies that double what they copy, at the operation that goes over 8 MiB', () => {
    const doubling = Array(40).fill({ op: 'copy', from: '/$variables', path: '/$variables/-' });
    expect(fault(doubling)).toMatchObject({
      code: 'PATCH_STRUCTURE_INVALID',
      details: { index: expect.any(Number), pointer: '/$variables/-', reason: 'size' },
    });
    const mebibyte = { op: 'add', path: '/$variables/0', value: 'x'.repeat(1024 * 1024 - 2) };
    const copies = (count: number) =>
      Array(count).fill({ op: 'copy', from: '/$variables/0', path: '/$variables/-' });
    expect(at(patched([mebibyte, ...copies(8)]), '/variables')).toHaveLength(3 + 1 + 8);
    expect(fault([mebibyte, ...copies(9)])).toMatchObject({ details: { index: 9, reason: 'size' } });
  });

  it('take a variable reference for a field of any type', () => {
    const value = { $var: 'weeks' };
    expect(
      at(patched([{ op: 'add', path: '/body/config/grid/gap', value }]), `${BODY}/config/grid/gap`),
    ).toEqual(value);
  });
});

describe('structure', () => {
  it('creates the parents of a legal add, and nothing else', () => {
    const bare: JsonObject = {
      manifest: { formatVersion: '1.0.0', id: 'team-pulse' },
      root: { id: 'page', type: 'container', children: [{ id: 'body', type: 'container' }] },
    };
    const result = patched(
      [
        { op: 'add', path: '/body/config/grid/gap', value: 2 },
        { op: 'add', path: '/body/placement/colStart', value: 1 },
        { op: 'add', path: '/body/metadata/owner', value: 'ops' },
        { op: 'add', path: '/body/children/-', value: block('b', 'c') },
        { op: 'add', path: '/body/variables/-', value: { name: 'x', type: 'string' } },
        { op: 'add', path: '/$variables/-', value: { name: 'y', type: 'string' } },
        { op: 'add', path: '/$connections/-', value: { id: 'z', type: 'static' } },
        { op: 'add', path: '/$theme/tone', value: 'accent' },
      ],
      bare,
    );
    expect(at(result, '/root/children/0')).toMatchObject({
      config: { grid: { gap: 2 } },
      placement: { colStart: 1 },
    });
    expect(result).toMatchObject({
      variables: [{ name: 'y' }],
      connections: [{ id: 'z' }],
      theme: { tone: 'accent' },
    });
    expect(fault([{ op: 'add', path: '/$variables/0/options/-', value: 'x' }], bare)).toMatchObject({
      code: 'PATCH_APPLY_FAILED',
      details: { reason: 'parent' },
    });
    expect(fault([{ op: 'add', path: '/c/children/-', value: block('d', 'e') }], result)).toMatchObject({
      code: 'PATCH_APPLY_FAILED',
      details: { reason: 'parent' },
    });
  });

  it('drops the placement of a node that moves to another parent; a later operation sets a new one', () => {
    const other = {
      op: 'add',
      path: '/page/children/-',
      value: { id: 'side', type: 'container', children: [] },
    };
    const move = { op: 'move', from: '/body/children/1', path: '/side/children/-' };
    const moved = patched([other, move]);
    expect(at(moved, '/root/children/2/children/0/id')).toBe('note-block');
    expect(at(moved, '/root/children/2/children/0/placement')).toBeUndefined();
    const positionAt = patched([
      other,
      move,
      { op: 'add', path: '/note-block/placement', value: { colStart: 1 } },
    ]);
    expect(at(positionAt, '/root/children/2/children/0/placement')).toEqual({ colStart: 1 });
    const all = patched([other, { op: 'move', from: '/body/children', path: '/side/children' }]);
    expect(at(all, '/root/children/2/children')).toMatchObject([
      { id: 'scores-block' },
      { id: 'note-block' },
    ]);
    expect(at(all, '/root/children/2/children/0/placement')).toBeUndefined();
    expect(at(all, '/root/children/2/children/1/placement')).toBeUndefined();
    const reordered = patched([{ op: 'move', from: '/note-block', path: '/body/children/0' }]);
    expect(ids(reordered)).toEqual(['note-block', 'scores-block']);
    expect(at(reordered, `${BODY}/children/0/placement`)).toEqual({ colStart: 2, rowStart: 1 });
  });

  it('inserts before a node addressed by id, also when the moved node stood before it', () => {
    const three = [{ op: 'add', path: '/body/children/-', value: block('third', 'c3') }];
    expect(ids(patched([{ op: 'add', path: '/note-block', value: block('new', 'c') }]))).toEqual([
      'scores-block',
      'new',
      'note-block',
    ]);
    const moved = patched([...three, { op: 'move', from: '/scores-block', path: '/third' }]);
    expect(ids(moved)).toEqual(['note-block', 'scores-block', 'third']);
    expect(ids(patched([...three, { op: 'move', from: '/third', path: '/third' }]))).toEqual([
      'scores-block',
      'note-block',
      'third',
    ]);
  });

  it('replaces a node, a content and the root in place; removing the last child leaves an empty list', () => {
    const replaced = patched([
      {
        op: 'replace',
        path: '/note',
        value: { id: 'head', type: 'heading', config: { text: 'x', level: 1 } },
      },
    ]);
    expect(at(replaced, `${BODY}/children/1/config/content/id`)).toBe('head');
    expect(
      at(
        patched([{ op: 'add', path: '/note', value: { id: 'note', type: 'heading' } }]),
        `${BODY}/children/1/config/content/type`,
      ),
    ).toBe('heading');
    const root = patched([{ op: 'replace', path: '/$root', value: { id: 'fresh', type: 'container' } }]);
    expect(root['root']).toEqual({ id: 'fresh', type: 'container' });
    expect(at(patched([{ op: 'remove', path: '/team-pick' }]), '/root/children/0/children')).toEqual([]);
  });

  it('repairs stored duplicates in several operations', () => {
    const document = teamPulse();
    (at(document, `${BODY}/children`) as Json[]).push(block('note-block', 'note'));
    expect(
      ids(patched([{ op: 'replace', path: '/body/children/2', value: block('n2', 'c2') }], document)),
    ).toEqual(['scores-block', 'note-block', 'n2']);
  });
});

describe('atomicity', () => {
  const operation = fc.oneof(
    fc.constantFrom<JsonObject>(
      { op: 'remove', path: '/note-block' },
      { op: 'add', path: '/body/children/-', value: block('g', 'h') },
      { op: 'move', from: '/note-block', path: '/body/children/0' },
      { op: 'replace', path: '/scores/config/title', value: 'T' },
      { op: 'remove', path: '/$variables/0' },
      { op: 'copy', from: '/$variables/0', path: '/$variables/-' },
      { op: 'add', path: '/$theme', value: {} },
    ),
  );

  it('leaves the document untouched wherever an operation fails', () => {
    const document = teamPulse();
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 6 }), fc.nat(6), (ops, index) => {
        fault([...ops.slice(0, index), { op: 'remove', path: '/ghost' }, ...ops.slice(index)], document);
        expect(jsonEqual(document, teamPulse())).toBe(true);
      }),
      { seed: SEED, numRuns: 300 },
    );
  });
});
