import { describe, expect, it } from 'vitest';
import type { NodeTypes } from '#src/catalog/node-types.ts';
import { applyChangeset } from '#src/changeset/apply.ts';
import { parseChangeset } from '#src/changeset/parse.ts';
import type { JsonObject } from '#src/document/json.ts';
import { smallTypes } from './small-types.ts';

const numbered = <T>(length: number, make: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => make(index));

/** A page with two containers; the first holds blocks with one heading each. */
function documentOf(nodes: number): JsonObject {
  const blocks = numbered((nodes - 3) / 2, at => ({
    id: `block-${at}`,
    type: 'block',
    config: { content: { id: `leaf-${at}`, type: 'heading', config: { text: 'Text', level: 2 } } },
  }));
  const body = { id: 'body', type: 'container', children: blocks };
  const side = { id: 'side', type: 'container', children: [] };
  return {
    manifest: { formatVersion: '1.0.0', id: 'wide' },
    root: { id: 'page', type: 'container', children: [body, side] },
  };
}

/** How many nodes the changeset looks at: each look at a node asks for its type. */
function visits(nodes: number, ops: unknown): number {
  let count = 0;
  const counting: NodeTypes = {
    scopeSurface: scope => smallTypes.scopeSurface(scope),
    typeOf(node) {
      count++;
      return smallTypes.typeOf(node);
    },
  };
  applyChangeset('wide', documentOf(nodes), parseChangeset(ops), counting);
  return count;
}

const leaf = (id: string) => ({ id, type: 'markdown' });
const block = (id: string) => ({ id, type: 'block', config: { content: leaf(`${id}-leaf`) } });

const STRUCTURAL: [string, (at: number) => unknown][] = [
  ['add at the end', at => ({ op: 'add', path: '/side/children/-', value: block(`new-${at}`) })],
  ['add before a node', at => ({ op: 'add', path: `/block-${at}`, value: block(`new-${at}`) })],
  ['remove', at => ({ op: 'remove', path: `/block-${at}` })],
  ['replace a node', at => ({ op: 'replace', path: `/block-${at}`, value: block(`new-${at}`) })],
  [
    'replace the content',
    at => ({ op: 'replace', path: `/block-${at}/config/content`, value: leaf(`n${at}`) }),
  ],
  ['move', at => ({ op: 'move', from: `/block-${at}`, path: '/side/children/-' })],
];

describe('a changeset of structural operations visits each node once, and then what it moves', () => {
  it.each(STRUCTURAL)('%s', (_name, operation) => {
    const cost = (nodes: number, operations: number) =>
      visits(nodes, numbered(operations, operation)) - visits(nodes, []);
    expect(visits(4_001, [])).toBeLessThan(2 * 4_001);
    expect(cost(2_001, 100)).toBeGreaterThan(0);
    expect(cost(2_001, 200)).toBe(2 * cost(2_001, 100));
    expect(cost(4_001, 100)).toBe(cost(2_001, 100));
  });
});
