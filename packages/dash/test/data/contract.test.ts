import { describe, expect, it } from 'vitest';
import type { DataRows, ItemData, Row } from '#src/data/contract.ts';
import type { DataSourceKind } from '#src/data/source.ts';
import { DataSources } from '#src/data/sources.ts';
import type { JsonObject } from '#src/document/json.ts';
import { openDocumentEngine } from '#src/reads/document-engine.ts';
import { scriptedSchemas } from '../web/scripted.ts';

const engine = openDocumentEngine(scriptedSchemas());

const ITEMS: Readonly<Record<string, JsonObject>> = {
  table: { connectionId: 'rows' },
  named: { connectionId: 'rows', columns: [{ header: 'Region', field: 'region' }] },
  metric: { connectionId: 'rows', field: 'p95', aggregate: 'max' },
  chart: { connectionId: 'rows', kind: 'bar', x: 'region', series: [{ field: 'p95' }] },
  pie: { connectionId: 'rows', kind: 'pie', x: 'region', series: [{ field: 'p95' }] },
};
const TYPES: Readonly<Record<string, string>> = { named: 'table', pie: 'chart' };

const document: JsonObject = {
  manifest: { formatVersion: '1.0.0', id: 'contract' },
  connections: [{ id: 'rows', type: 'scripted', config: { does: 'rows' } }],
  root: {
    id: 'page',
    type: 'container',
    children: [
      {
        id: 'body',
        type: 'container',
        children: Object.entries(ITEMS).map(([id, config]) => ({
          id: `${id}-block`,
          type: 'block',
          config: { content: { id, type: TYPES[id] ?? id, config } },
        })),
      },
    ],
  },
};
const tree = engine.resolve(document);

/** What each item shows of rows that a source has fetched. */
async function shown(rows: readonly object[], late = true): Promise<Record<string, ItemData>> {
  const data: DataRows = { columns: ['region', 'p95'], rows: rows as Row[] };
  const ask = () => (late ? Promise.resolve(data) : data);
  const kind: DataSourceKind = { type: 'scripted', atHand: false, timed: true, open: () => ({ ask }) };
  const answers = new DataSources({ kinds: [kind], rowsError: engine.rowsError }).ask(tree);
  const entries = [...answers].map(async ([id, { now, later }]) => [id, (await later) ?? now] as const);
  return Object.fromEntries(await Promise.all(entries));
}

const statesOf = (items: Record<string, ItemData>) =>
  Object.fromEntries(
    Object.entries(items).map(([id, data]) => [id, data.state === 'error' ? data.error.code : data.state]),
  );

const ALL_READY = { table: 'ready', named: 'ready', metric: 'ready', chart: 'ready', pie: 'ready' };

describe('fetched rows', () => {
  it.each([true, false])('as the types of items expect them are shown, late: %s', async late => {
    expect(statesOf(await shown([{ region: 'eu', p95: 1 }], late))).toEqual(ALL_READY);
  });

  it('keep their null cells, also where the type of an item refuses null, and rows of nothing else', async () => {
    const rows = [
      { region: 'eu', p95: null },
      { region: null, p95: null },
      { region: 'us', p95: 2 },
    ];
    const items = await shown(rows);
    expect(statesOf(items)).toEqual(ALL_READY);
    for (const data of Object.values(items)) expect('data' in data && data.data.rows).toEqual(rows);
  });

  it('with cells that no item can show are RESULT_SHAPE_INVALID there, at the row that was fetched', async () => {
    const items = await shown([
      { region: null, p95: null },
      { region: null, p95: 1 },
      { region: { name: 'eu' }, p95: 2 },
    ]);
    expect(statesOf(items)['table']).toBe('RESULT_SHAPE_INVALID');
    expect(items['table']).toMatchObject({
      error: {
        message:
          'Rows of node "table" must be as type "table" says: /2/region must be string,number,boolean.',
        details: { nodeId: 'table', connectionId: 'rows', violations: [{ pointer: '/2/region' }] },
      },
    });
  });

  it('are checked for the keys that an item names, and for the kind of their cells: each item for itself', async () => {
    expect(statesOf(await shown([{ regoin: 'eu', p95: 1 }]))).toEqual({
      table: 'ready',
      named: 'ready',
      metric: 'ready',
      chart: 'RESULT_SHAPE_INVALID',
      pie: 'RESULT_SHAPE_INVALID',
    });
    expect(statesOf(await shown([{ region: 'eu', p95: -1 }]))).toMatchObject({
      chart: 'ready',
      pie: 'RESULT_SHAPE_INVALID',
    });
    const text = await shown([{ region: 'eu', p95: 'fast' }]);
    expect(statesOf(text)).toMatchObject({
      table: 'ready',
      metric: 'RESULT_SHAPE_INVALID',
      chart: 'RESULT_SHAPE_INVALID',
    });
    expect(text['chart']).toMatchObject({
      error: { details: { violations: [{ pointer: '/0/p95', keyword: 'rowFields' }] } },
    });
  });

  it('show every item as empty when there are no rows', async () => {
    expect(new Set(Object.values(statesOf(await shown([]))))).toEqual(new Set(['empty']));
  });
});
