import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#src/document/json.ts';
import type { ResolvedTree } from '#src/resolve/tree.ts';
import { errorOf, nodeOf, resolveWith } from '../resolve/team-pulse.ts';

const ITEMS = new URL('../../schemas/items/', import.meta.url);
const digestOf = (file: string): string =>
  createHash('sha256')
    .update(readFileSync(new URL(file, ITEMS)))
    .digest('hex');

function withItem(type: string, config: JsonObject): JsonObject {
  const content = { id: 'item', type, config };
  const block = { id: 'block', type: 'block', config: { content } } as Json;
  return {
    manifest: { formatVersion: '1.0.0', id: 'one-item' },
    root: { id: 'page', type: 'container', children: [{ id: 'body', type: 'container', children: [block] }] },
  };
}

const surfaceOf = (tree: ResolvedTree, name: string, version: string) =>
  tree.surfaces[`https://dash.example/schemas/items/${name}/${version}`]?.map(({ field }) => field);

const CHART: JsonObject = {
  ...{ kind: 'line', x: 'x', series: [{ field: 'y' }] },
  rows: [{ x: 1, y: 2, by: 'a' }],
};
const THRESHOLDS: Json = [{ from: 1, tone: 'caution' }];

describe.each([
  ['chart', CHART, { by: 'by', thresholds: THRESHOLDS }],
  ['metric', { value: 3 }, { thresholds: THRESHOLDS }],
] as const)('%s', (name, config, added) => {
  it('without a version means 1.1.0, whose additions are on the surface', () => {
    const tree = resolveWith(withItem(name, { ...config, ...added }));
    expect(nodeOf(tree, 'item').type).toMatchObject({ ref: name, version: '1.1.0' });
    expect(surfaceOf(tree, name, '1.1.0')).toEqual(expect.arrayContaining(Object.keys(added)));
  });

  it('pinned to 1.0.0 is what it was: its surface has none of them, and its config refuses each', () => {
    const tree = resolveWith(withItem(`${name}@1.0.0`, config));
    expect(nodeOf(tree, 'item').type).toMatchObject({ name, version: '1.0.0' });
    const surface = surfaceOf(tree, name, '1.0.0');
    for (const [member, value] of Object.entries(added)) {
      expect(surface).not.toContain(member);
      const refused = withItem(`${name}@1.0.0`, { ...config, [member]: value });
      expect(errorOf(() => resolveWith(refused))).toMatchObject({
        code: 'RESOLVE_CONFIG_INVALID',
        message: expect.stringContaining(`"${member}"`),
      });
    }
  });
});

it.each([
  ['chart.schema.json', 'f9d18547746b04e5a51f91b25ed50468a200cd2cd419e082321eddf20f230a0f'],
  ['metric.schema.json', '53fa25744c788517f3b8485c9858267743c4ab31ddb18820e48f9263f398be16'],
])('%s, version 1.0.0, is never changed again', (file, digest) => {
  expect(digestOf(file)).toBe(digest);
});
