import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadCatalog } from '#src/catalog/index.ts';
import { nodeTypes } from '#src/catalog/reference.ts';
import { listSchemas } from '#src/reads/schemas.ts';
import { resolveDocument } from '#src/resolve/index.ts';
import { errorOf, nodeOf, teamPulse } from '../resolve/team-pulse.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dash-types-'));
  mkdirSync(join(dir, 'items'));
});
afterEach(() => rmSync(dir, { recursive: true }));

function publish(name: string, members: object, id = `https://types.example/items/${name}/1.0.0`): void {
  writeFileSync(
    join(dir, 'items', `${name}.schema.json`),
    JSON.stringify({ $id: id, type: 'object', ...members }),
  );
}

describe('a type published as a schema file', () => {
  it('is listed, resolved, checked by the grammar and addressable (C1)', () => {
    publish('panel', { behavior: { role: 'region', childPolicy: 'regions-or-wrappers' } });
    publish('frame', {
      behavior: { role: 'wrapper', contentField: 'body' },
      properties: { body: { type: 'object' } },
    });
    publish('dial', {
      behavior: { role: 'widget', binds: ['integer'] },
      properties: { variable: { type: 'string' } },
    });
    const catalog = loadCatalog({ dir });
    expect(listSchemas(catalog).types).toEqual(expect.arrayContaining(['panel', 'frame', 'dial', 'table']));
    const document = teamPulse();
    const dial = { id: 'dial', type: 'dial', config: { variable: 'weeks' } };
    const frame = { id: 'frame', type: 'frame', config: { body: dial } };
    document.root.children.push({ id: 'panel', type: 'panel', children: [frame] });
    const tree = resolveDocument(document, catalog);
    expect(nodeOf(tree, 'frame').children?.[0]?.id).toBe('dial');
    expect(nodeTypes(catalog).typeOf({ type: 'frame' })?.contentField).toBe('body');
    document.root.children.at(-1).children = [dial];
    expect(errorOf(() => resolveDocument(document, catalog)).code).toBe('GRAMMAR_REGION_CHILD_INVALID');
  });

  it.each([
    ['SCHEMA_BEHAVIOR_INVALID', { behavior: { role: 'region' } }],
    ['SCHEMA_BEHAVIOR_INVALID', { behavior: { role: 'widget', binds: ['text'] } }],
    ['SCHEMA_BEHAVIOR_INVALID', { behavior: { role: 'wrapper', contentField: 'absent' } }],
    ['CONFIGURABLE_SURFACE_INVALID', { configurable: { ghost: { type: 'string' } } }],
    [
      'CONFIGURABLE_SURFACE_INVALID',
      { properties: { a: {} }, configurable: { a: { type: 'string', rendering: 'table' } } },
    ],
    ['CONTRACT_INVALID', { expectedResult: { type: 'nonsense' } }],
    ['CONTRACT_INVALID', { rowFields: [{ path: '' }] }],
    ['SCHEMA_INVALID', { type: 'nonsense' }],
  ])('stops the start with %s when it is incoherent (C2)', (code, members) => {
    publish('odd', members);
    const fault = errorOf(() => loadCatalog({ dir }));
    expect(fault.code).toBe(code);
    expect(JSON.stringify(fault.details)).toContain('odd');
  });

  it('needs an id that names it, and a directory that is there', () => {
    publish('odd', {}, 'https://types.example/items/other/1.0.0');
    expect(errorOf(() => loadCatalog({ dir })).code).toBe('SCHEMA_INVALID');
    expect(errorOf(() => loadCatalog({ dir: join(dir, 'absent') })).code).toBe('SCHEMA_IO');
  });
});
