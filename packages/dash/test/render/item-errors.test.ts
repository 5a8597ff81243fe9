import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, it } from 'vitest';
import type { DataRows, ItemData } from '#src/data/contract.ts';
import { DATA_SOURCE_KINDS } from '#src/data/kinds.ts';
import type { DataSourceKind } from '#src/data/source.ts';
import { DataSources } from '#src/data/sources.ts';
import type { JsonObject } from '#src/document/json.ts';
import { type DashCode, DashError } from '#src/errors.ts';
import { documentEngine } from '#src/reads/document-engine.ts';
import type { ItemView } from '#src/render/context.ts';
import { renderItems } from '#src/render/picture.ts';
import { catalog } from '../resolve/team-pulse.ts';

/** Every code that stands in the place of one item (page and review 5.7). */
const CODES: readonly DashCode[] = [
  'QUERY_HOST_FORBIDDEN',
  'QUERY_SECRET_FORBIDDEN',
  'QUERY_OVERRIDE_FORBIDDEN',
  'QUERY_ROLE_FORBIDDEN',
  'QUERY_DRIVER_MISSING',
  'QUERY_INVALID',
  'QUERY_FAILED',
  'QUERY_RESPONSE_INVALID',
  'QUERY_TIMEOUT',
  'QUERY_TOO_LARGE',
  'QUERY_BUSY',
  'SECRET_MISSING',
  'RESULT_SHAPE_INVALID',
];
const ROWS: DataRows = { columns: ['region', 'ms'], rows: [{ region: 'eu', ms: 184 }] };
const engine = documentEngine(catalog, { environment: {} });

/** A page with a table and a figure of the source `live`, and a table of its own rows. */
function page() {
  const item = (id: string, type: string, config: JsonObject): JsonObject => ({
    ...{ id: `${id}-block`, type: 'block', config: { content: { id, type, config } } },
  });
  return engine.resolve({
    manifest: { formatVersion: '1.0.0', id: 'errors' },
    connections: [
      { id: 'live', type: 'http', config: { url: 'http://127.0.0.1/', cache: 0 } },
      { id: 'own', type: 'static', config: { rows: [{ kept: 'as it is' }] } },
    ],
    root: {
      id: 'page',
      type: 'container',
      children: [
        {
          id: 'body',
          type: 'container',
          children: [
            item('table', 'table', { connectionId: 'live' }),
            item('figure', 'metric', { connectionId: 'live', field: 'ms' }),
            item('other', 'table', { connectionId: 'own' }),
          ],
        },
      ],
    },
  });
}

/** A source that answers as it is told, in the place of the one for HTTP. */
class ToldSource {
  error: DashError | undefined;
  readonly clock = new ManualClock();
  readonly #kind: DataSourceKind = {
    type: 'http',
    atHand: false,
    timed: false,
    open: () => ({
      ask: () => (this.error === undefined ? Promise.resolve(ROWS) : Promise.reject(this.error)),
    }),
  };
  readonly #sources = new DataSources({
    rowsError: engine.rowsError,
    kinds: [...DATA_SOURCE_KINDS.filter(({ type }) => type === 'static'), this.#kind],
    environment: {},
    clock: this.clock,
  });

  /** The items of the page as HTML, by id. */
  async items(): Promise<Map<string, string>> {
    const tree = page();
    const views = new Map<string, ItemView>();
    for (const [id, { now, later }] of this.#sources.ask(tree)) {
      const data: ItemData = later === undefined ? now : await later;
      views.set(id, { data });
    }
    const source = { tree, views, errors: new Map(), csvAddress: () => '/csv' };
    const items = renderItems(source, new Set(['table', 'figure', 'other']));
    return new Map([...items].map(([id, html]) => [id, String(html)]));
  }
}

describe('an error of a query', () => {
  it.each(CODES)('%s stands in the place of its items and of no other', async code => {
    const source = new ToldSource();
    source.error = new DashError(code, 'Asked and refused.', {});
    const items = await source.items();
    for (const id of ['table', 'figure']) {
      expect(items.get(id)).toContain('data-state="error"');
      expect(items.get(id)).toContain(`<span class="code">${code}</span>`);
    }
    expect(items.get('other')).toContain('data-state="ready"');
    expect(items.get('other')).toContain('as it is');
  });

  it.each(CODES)('%s after rows that came leaves these on the page, as old ones', async code => {
    const source = new ToldSource();
    const fresh = await source.items();
    expect(fresh.get('figure')).toContain('data-state="ready"');
    source.error = new DashError(code, 'Asked and refused.', {});
    await source.clock.advance(90_000);
    const items = await source.items();
    for (const [id, shown] of [
      ['table', '<td class="num">184</td>'],
      ['figure', '>184'],
    ] as const) {
      expect(items.get(id)).toContain('data-state="stale"');
      expect(items.get(id)).toContain(shown);
      expect(items.get(id)).toContain('1 min old');
      expect(items.get(id)).toContain(`${code}: Asked and refused.`);
    }
  });

  it('is gone as soon as rows come again', async () => {
    const source = new ToldSource();
    source.error = new DashError('QUERY_FAILED', 'Asked and refused.', {});
    await source.items();
    source.error = undefined;
    await source.clock.advance(90_000);
    expect((await source.items()).get('figure')).toContain('data-state="ready"');
  });
});
