import { expect, it } from 'vitest';
import type { Catalog, ItemType } from '#src/catalog/types.ts';
import { resolveDocument } from '#src/resolve/index.ts';
import { catalog, errorOf, resolveWith } from './team-pulse.ts';

const ROWS = [
  { name: 'Ada', score: 4, note: 'x' },
  { name: 'Lin', score: 5, note: 'y' },
];

/** Items with these configs, one block each, all on the same rows. */
function sharing(type: string, configs: object[]) {
  const children = configs.map((config, index) => ({
    id: `block-${index}`,
    type: 'block',
    config: {
      content: { id: `item-${index}`, type, config: { connectionId: 'shared', ...config } },
    },
  }));
  return {
    manifest: { formatVersion: '1.0.0', id: 'sharing' },
    connections: [{ id: 'shared', type: 'static', config: { rows: ROWS } }],
    root: { id: 'page', type: 'container', children: [{ id: 'body', type: 'container', children }] },
  };
}

const bars = (field: string) => ({ kind: 'bar', x: 'name', series: [{ field }] });

it('rows that several items of a type draw are checked once', () => {
  const table = catalog.items.get('table')?.[0] as ItemType;
  let checks = 0;
  const validateResult = Object.assign(
    (rows: unknown) => {
      checks++;
      return table.validateResult?.(rows) ?? true;
    },
    { errors: [] },
  );
  const items: Catalog['items'] = new Map([...catalog.items, ['table', [{ ...table, validateResult }]]]);
  resolveDocument(sharing('table', [{}, {}, {}]), { ...catalog, items });
  expect(checks).toBe(1);
});

it('each item that draws faulty rows is reported', () => {
  const document = sharing('chart', [bars('note'), bars('score'), bars('note')]);
  const { code, details } = errorOf(() => resolveWith(document));
  const violations = ['/0/note', '/1/note'].map(pointer => expect.objectContaining({ pointer }));
  expect(code).toBe('RESULT_SHAPE_INVALID');
  expect(details).toMatchObject({ nodeId: 'item-0', violations });
  expect(details['also']).toMatchObject([{ code, details: { nodeId: 'item-2', violations } }]);
});
