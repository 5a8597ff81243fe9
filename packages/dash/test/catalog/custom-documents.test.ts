import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadCatalog } from '#src/catalog/index.ts';
import type { Catalog } from '#src/catalog/types.ts';
import { commitChangeset, dryRunChangeset } from '#src/changeset/pipeline.ts';
import { canonicalBytes } from '#src/document/canonical.ts';
import type { JsonObject } from '#src/document/json.ts';
import { documentEngine } from '#src/reads/document-engine.ts';
import { getNode } from '#src/reads/node.ts';
import { resolveDocument } from '#src/resolve/index.ts';
import { errorOf } from '../resolve/team-pulse.ts';
import { errorOf as rejectionOf, storeAt } from '../store/stores.ts';

const BASE = 'https://types.example/items';
let dir: string;
let catalog: Catalog;

/** A flowing region that leaves its columns open, a wrapper with the content field `body`, a widget, a leaf. */
const TYPES: Readonly<Record<string, object>> = {
  shelf: {
    behavior: { role: 'region', childPolicy: 'widgets', layout: 'flow' },
    properties: { layout: { type: 'object' } },
  },
  frame: {
    behavior: { role: 'wrapper', contentField: 'body' },
    configurable: { caption: { type: 'string' } },
    properties: { body: { type: 'object' }, caption: { type: 'string' } },
  },
  dial: {
    behavior: { role: 'widget', binds: ['integer'] },
    configurable: { turns: { type: 'integer' } },
    properties: { variable: { type: 'string' }, turns: { type: 'integer', maximum: 9 } },
  },
  gauge: { properties: { connectionId: { type: 'string' } } },
};

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'dash-custom-'));
  mkdirSync(join(dir, 'items'));
  for (const [name, members] of Object.entries(TYPES)) {
    const schema = { $id: `${BASE}/${name}/1.0.0`, type: 'object', additionalProperties: false, ...members };
    writeFileSync(join(dir, 'items', `${name}.schema.json`), JSON.stringify(schema));
  }
  catalog = loadCatalog({ dir });
});
afterAll(() => rmSync(dir, { recursive: true }));

function framed(body: JsonObject): JsonObject {
  const frame = { id: 'frame', type: 'frame', config: { caption: 'Turns', body } };
  return {
    manifest: { formatVersion: '1.0.0', id: 'custom' },
    variables: [{ name: 'count', type: 'integer', default: 2 }],
    connections: [{ id: 'rows', type: 'static', config: { rows: [{ n: 1 }] } }],
    root: {
      id: 'page',
      type: 'container',
      children: [{ id: 'body', type: 'container', children: [frame] }],
    },
  };
}

const dial = { id: 'dial', type: 'dial', config: { variable: 'count', turns: 3 } };

it('content of a custom wrapper is addressed by its id and patched like a built-in (C1)', async () => {
  const store = storeAt('fs', join(dir, 'documents'));
  mkdirSync(join(dir, 'documents'));
  await store.save('custom', canonicalBytes(framed(dial)));
  const engine = documentEngine(catalog);
  const context = { store, ...engine };
  expect(getNode('custom', framed(dial), 'dial', engine).surface).toEqual([
    { key: 'turns', type: 'integer' },
  ]);

  const ops = [
    { op: 'replace', path: '/dial/config/turns', value: 7 },
    { op: 'replace', path: '/frame/config/caption', value: 'More turns' },
  ];
  const { preview } = await dryRunChangeset(context, { id: 'custom', ops });
  const { result } = await commitChangeset(context, { id: 'custom', ops });
  expect(result).toEqual(preview);
  expect(preview.root.children?.[0]?.children).toEqual([
    {
      id: 'frame',
      type: { ref: 'frame', id: `${BASE}/frame/1.0.0`, name: 'frame', version: '1.0.0' },
      role: 'wrapper',
      container: false,
      config: { caption: 'More turns' },
      children: [
        {
          id: 'dial',
          type: { ref: 'dial', id: `${BASE}/dial/1.0.0`, name: 'dial', version: '1.0.0' },
          role: 'widget',
          container: false,
          config: { variable: 'count', turns: 7 },
        },
      ],
    },
  ]);
  expect(preview.surfaces[`${BASE}/dial/1.0.0`]).toMatchObject([{ field: 'turns', type: 'integer' }]);

  for (const [code, op] of [
    ['PATCH_OFF_SURFACE', { op: 'replace', path: '/dial/config/variable', value: 'other' }],
    ['PATCH_VALUE_INVALID', { op: 'replace', path: '/dial/config/turns', value: 'many' }],
    ['RESOLVE_CONFIG_INVALID', { op: 'replace', path: '/dial/config/turns', value: 10 }],
  ] as const) {
    expect((await rejectionOf(commitChangeset(context, { id: 'custom', ops: [op] }))).code).toBe(code);
  }
});

it('a bound type needs an expected result', () => {
  const gauge = { id: 'gauge', type: 'gauge', config: { connectionId: 'rows' } };
  expect(errorOf(() => resolveDocument(framed(gauge), catalog))).toMatchObject({
    code: 'CONTRACT_MISSING',
    details: { path: 'root.children[0].children[0].body', nodeId: 'gauge', type: 'gauge' },
  });
});

it.each([0, 13, 1.5, 'two'])('a flow whose schema is open refuses %j columns', columns => {
  const shelf = (layout: JsonObject) =>
    framed({ id: 'shelf', type: 'shelf', config: { layout }, children: [dial] });
  expect(resolveDocument(shelf({ columns: 12 }), catalog).manifest.id).toBe('custom');
  expect(errorOf(() => resolveDocument(shelf({ columns }), catalog))).toMatchObject({
    code: 'LAYOUT_FORM_COLUMNS_INVALID',
    details: { nodeId: 'shelf', value: columns },
  });
});
