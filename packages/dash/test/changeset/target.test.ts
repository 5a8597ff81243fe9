import { describe, expect, it } from 'vitest';
import { NodeTree } from '#src/changeset/node-tree.ts';
import { type Edit, ruleOf } from '#src/changeset/rules.ts';
import { type ResolvedTarget, resolveTarget } from '#src/changeset/target.ts';
import { formatPointer, parsePointer } from '#src/document/pointer.ts';
import { smallTypes } from './small-types.ts';
import { teamPulse } from './team-pulse.ts';

function target(path: string): ResolvedTarget {
  const tree = new NodeTree(teamPulse(), smallTypes);
  const resolved = resolveTarget(tree, smallTypes, parsePointer(path) as string[]);
  if (resolved === undefined) throw new Error(`${path} is not in the document`);
  return resolved;
}

describe('a resolved target', () => {
  it.each([
    ['/$root', 'root-node', '/root', 'page', undefined],
    ['/body/children/0', 'child-node', '/root/children/1/children/0', 'scores-block', 'body'],
    [
      '/scores-block/config/content',
      'content-node',
      '/root/children/1/children/0/config/content',
      'scores',
      'scores-block',
    ],
    ['/body/children', 'child-list', '/root/children/1/children', 'body', 'body'],
    ['/body/children/-', 'child-slot', '/root/children/1/children/-', 'body', 'body'],
    ['/page/children/1/config/grid/gap', 'config-field', '/root/children/1/config/grid/gap', 'body', 'body'],
    ['/body/metadata/owner', 'node-data', '/root/children/1/metadata/owner', 'body', 'body'],
    ['/body/id', 'immutable', '/root/children/1/id', 'body', 'body'],
    ['/$theme', 'theme', '/theme', '$theme', undefined],
    ['/$theme/tone', 'scope-field', '/theme/tone', '$theme', undefined],
    ['/$variables/0/default', 'scope-data', '/variables/0/default', '$variables', undefined],
    ['/$manifest', 'immutable', '/manifest', '$manifest', undefined],
  ])('of %s has the class %s and the pointer %s', (path, targetClass, pointer, id, parent) => {
    const resolved = target(path);
    expect(resolved.class).toBe(targetClass);
    expect(formatPointer(resolved.pointer)).toBe(pointer);
    expect(resolved.id).toBe(id);
    expect(resolved.parent?.node['id']).toBe(parent);
  });

  it('names the field of the surface exactly', () => {
    expect(target('/body/config/grid/gap').field).toEqual({ type: 'number' });
    expect(target('/$theme/tone').field?.type).toBe('enum');
    for (const path of ['/body/config/grid', '/body/config/grid.gap', '/body/metadata/grid']) {
      expect(target(path).field).toBeUndefined();
    }
  });
});

it.each<[string, Edit, string]>([
  ['/$root', 'replace', 'nodes'],
  ['/$root', 'take', 'root'],
  ['/scores', 'move', 'nodes'],
  ['/scores', 'take', 'content'],
  ['/scores', 'remove', 'content'],
  ['/$theme', 'remove', 'data'],
  ['/$theme', 'copy', 'immutable'],
  ['/body/type', 'add', 'immutable'],
  ['/scores/config/title', 'copy', 'surface'],
])('the rule of %s for %s is %s', (path, edit, rule) => {
  expect(ruleOf(target(path), edit)).toBe(rule);
});
