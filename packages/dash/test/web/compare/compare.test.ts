import { afterAll, describe, expect, it } from 'vitest';
import type { DataRequest, DataSourceKind } from '#src/data/source.ts';
import { emptyPage } from '#src/document/empty-page.ts';
import { cloneJson, type Json, type JsonObject } from '#src/document/json.ts';
import type { Compared } from '#src/web/compare/compare.ts';
import { viewOf } from '#src/web/compare/view.ts';
import { GOLDEN_CHANGESETS, golden } from '../../changeset/golden-changesets.ts';
import { Comparing } from './comparing.ts';

const comparing = new Comparing();
afterAll(() => comparing.close());

const goldenNamed = (name: string) => {
  const changeset = GOLDEN_CHANGESETS.find(one => one.name === name);
  if (changeset === undefined) throw new Error(`no golden changeset ${name}`);
  return changeset;
};

function compareGolden(name: string): Promise<Compared> {
  const { ops, create } = goldenNamed(name);
  const before = create === true ? emptyPage('golden') : golden();
  return comparing.compare({ before, after: comparing.after('golden', before, ops) });
}

/** Each item with what happened to it, why, and its marks. */
const itemsIn = ({ items, verdicts }: Compared): string[] =>
  items.map(({ id, kind, through }) =>
    [kind, id, ...through, ...(verdicts.get(id) ?? []).map(({ short }) => `(${short})`)].join(' '),
  );

describe('the items of the golden changesets', () => {
  it.each([
    ['rename', ['changed latency-block']],
    ['retype query', ['changed latency-block (looks the same)']],
    ['move', ['moved errors-block (looks the same)']],
    ['add', ['added load-block']],
    ['remove', ['removed note-block']],
    ['rename variable', ['changed note-block (looks the same)']],
    ['regrid', ['changed body']],
    ['theme', ['changed note-block', 'affected latency-block the theme', 'affected errors-block the theme']],
    ['connection', ['affected latency-block connection rows', 'affected errors-block connection rows']],
    ['broken', ['affected note-block variable env']],
    [
      'no data',
      ['affected latency-block connection rows (no rows)', 'affected errors-block connection rows (no rows)'],
    ],
    ['create', ['added body']],
  ])('%s', async (name, expected) => {
    const compared = await compareGolden(name);
    expect(itemsIn(compared)).toEqual(expected);
    expect(compared.problem?.code).toBe(goldenNamed(name).broken);
  });

  it('are all there', () => {
    expect(GOLDEN_CHANGESETS).toHaveLength(12);
  });
});

describe('a comparison as HTML', () => {
  it('counts, says every sentence, and names both sides of an item apart', async () => {
    const { counts, words, items } = viewOf(await compareGolden('no data'));
    expect(counts).toBe('1 changed, 2 also affected');
    expect(String(words)).toContain('“Latency” through connection rows');
    const html = String(items);
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(html).toContain('id="n-before-errors"');
    expect(html).toContain('id="n-after-errors"');
    expect(html).not.toMatch(/ style=|<script/);
  });

  it('shows the grids around an item that comes, and of an own grid, once', async () => {
    for (const [name, count] of [
      ['add', 1],
      ['regrid', 1],
      ['move', 2],
    ] as const) {
      const html = String(viewOf(await compareGolden(name)).items);
      expect(html.match(/class="grids"/g) ?? []).toHaveLength(count);
    }
    const regrid = String(viewOf(await compareGolden('regrid')).items);
    expect(regrid).toContain('aria-label="2 columns; Latency at row 1, column 1');
    expect(regrid).toContain('aria-label="3 columns; Latency at row 1, column 1');
  });

  it('gives both charts of an item one scale', async () => {
    const after = comparing.after('golden', golden(), [
      { op: 'replace', path: '/$connections/0/config/rows', value: [{ t: '10:00', load: 400 }] },
    ]);
    const html = String(viewOf(await comparing.compare({ before: golden(), after })).items);
    const [before = '', now = ''] = html.split('class="side after"');
    for (const side of [before, now]) expect(side).toContain('>400<');
  });

  it('shows the choice of each side: radio buttons of one name would have one choice on the page', async () => {
    const options = ['north', 'south'];
    const control = {
      id: 'pick',
      type: 'segmented',
      config: { variable: 'area', options: options.map(value => ({ value })) },
    };
    const before: JsonObject = {
      manifest: { formatVersion: '1.0.0', id: 'd' },
      variables: [{ name: 'area', type: 'enum', options, default: 'north' }],
      root: {
        id: 'page',
        type: 'container',
        children: [{ id: 'box', type: 'variable-box', children: [control] }],
      },
    };
    const after = comparing.after('d', before, [
      { op: 'replace', path: '/$variables/0/default', value: 'south' },
    ]);
    const html = String(viewOf(await comparing.compare({ before, after })).items);
    const chosen = [...html.matchAll(/<input[^>]* name="([^"]+)"[^>]* value="([^"]+)" checked>/g)];
    expect(chosen.map(([, , value]) => value)).toEqual(['north', 'south']);
    expect(new Set(chosen.map(([, name]) => name)).size).toBe(2);
  });

  it('shows texts as text', async () => {
    const hostile = '"><img src=x onerror=alert(1)>\u202e';
    const before = golden();
    const after = cloneJson(before);
    (after['manifest'] as JsonObject)['title'] = hostile;
    const { ops } = goldenNamed('add');
    const added = JSON.parse(
      JSON.stringify(ops[0]).replaceAll('"Load"', () => JSON.stringify(hostile)),
    ) as Json;
    const compared = await comparing.compare({ before, after: comparing.after('golden', after, [added]) });
    const { words, items } = viewOf(compared);
    expect(`${words}${items}`).not.toContain('<img');
    expect(String(words)).toContain('\\u202e');
  });
});

describe('rows of a comparison', () => {
  const source = () => {
    const asked: string[] = [];
    const kind: DataSourceKind = {
      type: 'http',
      atHand: false,
      timed: false,
      open: () => ({
        ask: async ({ query }: DataRequest) => {
          asked.push(String(query?.['q']));
          const columns = query?.['q'] === 'less' ? ['a'] : ['a', 'b'];
          return { columns, rows: [Object.fromEntries(columns.map(name => [name, 1]))] };
        },
      }),
    };
    return { asked, kind };
  };
  const table = (id: string, q: string): JsonObject => ({
    id: `${id}-block`,
    type: 'block',
    config: { content: { id, type: 'table', config: { title: id, connectionId: 'api', query: { q } } } },
  });
  const page = (...tables: JsonObject[]): JsonObject => ({
    manifest: { formatVersion: '1.0.0', id: 'd' },
    connections: [{ id: 'api', type: 'http', config: { url: 'http://metrics.example/query' } }],
    root: {
      id: 'page',
      type: 'container',
      children: [{ id: 'body', type: 'container', children: tables }],
    },
  });

  it('come from one run of each distinct query', async () => {
    const { asked, kind } = source();
    const before = page(table('one', 'x'), table('two', 'y'));
    const after = page(table('one', 'x'), table('two', 'x'), table('three', 'z'));
    await comparing.compare({ before, after }, [kind]);
    expect(asked.toSorted()).toEqual(['x', 'y', 'z']);
  });

  it('of the document itself are not missed: only a table that has lost them is marked', async () => {
    const own = (id: string, rows: Json[]): JsonObject => ({
      id: `${id}-block`,
      type: 'block',
      config: { content: { id, type: 'table', config: { columns: [{ header: 'Part' }], rows } } },
    });
    const before = page(own('full', [['Bolt']]), own('emptied', [['Bolt'], ['Nut']]));
    const after = page(own('full', [['Bolt'], ['Nut']]), own('emptied', []));
    const { verdicts } = await comparing.compare({ before, after });
    expect(verdicts.get('full-block')).toEqual([]);
    expect(verdicts.get('emptied-block')).toMatchObject([{ short: 'no rows', text: 'Before there were 2.' }]);
  });

  it('that lack a column are marked', async () => {
    const { kind } = source();
    const compared = await comparing.compare(
      { before: page(table('one', 'x')), after: page(table('one', 'less')) },
      [kind],
    );
    expect(compared.verdicts.get('one-block')).toMatchObject([{ short: 'fewer columns', text: 'b.' }]);
  });

  it('are not asked for while a new query waits for a person', async () => {
    const { asked, kind } = source();
    const before = page(table('one', 'x'));
    const after = page(table('one', 'new'), table('two', 'x'));
    const compared = await comparing.compare({ before, after, held: 'all' }, [kind]);
    expect(asked).toEqual(['x']);
    expect(compared.held).toEqual([{ nodeId: 'one', connectionType: 'http', query: { q: 'new' } }]);
    expect(compared.verdicts.get('one-block')).toMatchObject([{ tone: 'warn', short: 'not asked yet' }]);
    const some = source();
    await comparing.compare({ before, after, held: 'some' }, [some.kind]);
    expect(some.asked).toContain('new');
    const waiting = { ...source().kind, waitsForPerson: () => true };
    expect((await comparing.compare({ before, after, held: 'some' }, [waiting])).held).toHaveLength(1);
  });
});
