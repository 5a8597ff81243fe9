// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the documents interpolate, the program does not
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCatalog } from '#src/catalog/index.ts';
import type { Json } from '#src/document/json.ts';
import { teamPulse } from '../changeset/team-pulse.ts';
import { type Fields, id, ToolsUnderTest } from './tools-under-test.ts';
import type { Way } from './ways.ts';

const catalog = loadCatalog();

const validate = (...ops: unknown[]) => ({ id, ops });
const block = (blockId: string, content: object) => ({ id: blockId, type: 'block', config: { content } });

/** What a dry run answers (M6 to M8, M11), against the real process that was started one way. */
export function changesetsSuite(way: Way): void {
  const on = new ToolsUnderTest(way);

  describe('trying changesets', () => {
    it('previews every edit of a long changeset', async () => {
      const ops = JSON.parse(
        await readFile(new URL('long-changeset.json', import.meta.url), 'utf8'),
      ) as unknown[];
      const answer = await on.ask<{ preview: unknown; baseRevision: string; changes: unknown[] }>(
        'dash_validate_patch',
        { id, ops },
      );
      const preview = JSON.stringify(answer.preview);
      for (const edit of ['Team pulse (weekly)', '"columns":[3,2]', '"max":10', 'Goal 4.5', 'people-ops'])
        expect(preview).toContain(edit);
      const { revision } = await on.ask<{ revision: string }>('dash_get_outline', { id });
      expect(answer.baseRevision).toBe(revision);
      expect(answer.changes).toContainEqual({
        kind: 'changed',
        nodeId: '$manifest',
        field: 'title',
        from: 'Team pulse',
        to: 'Team pulse (weekly)',
      });
    });

    it.each([
      ['replace', '/scores/config/connectionId', 'x', 'PATCH_OFF_SURFACE', {}],
      [
        'replace',
        '/scores/config/columns/0/header',
        'Who',
        'PATCH_OFF_SURFACE',
        { surface: ['columns', 'query', 'title'] },
      ],
      [
        'replace',
        '/scores-block/config/columns',
        [],
        'PATCH_OFF_SURFACE',
        { suggestedPath: '/scores/config/columns' },
      ],
      ['replace', '/body/config/grid/gap', 'wide', 'PATCH_VALUE_INVALID', { expected: 'number' }],
      [
        'replace',
        '/$theme/tone',
        'loud',
        'PATCH_VALUE_INVALID',
        { allowed: expect.arrayContaining(['accent']) },
      ],
      ['replace', '/ghost/config/title', 'x', 'CHANGESET_TARGET_NOT_FOUND', { nodeId: 'ghost' }],
      [
        'remove',
        '/note',
        undefined,
        'PATCH_STRUCTURE_INVALID',
        { cause: expect.objectContaining({ code: 'WRAPPER_CHILD_COUNT_INVALID' }) },
      ],
      [
        'add',
        '/page/children/-',
        block('b', { id: 'c', type: 'markdown', config: { source: 'x' } }),
        'PATCH_STRUCTURE_INVALID',
        { cause: expect.objectContaining({ code: 'GRAMMAR_ROOT_CHILD_INVALID' }) },
      ],
      [
        'add',
        '/scores-block/placement/colStart',
        9,
        'PATCH_STRUCTURE_INVALID',
        { cause: expect.objectContaining({ code: 'LAYOUT_PLACEMENT_OUT_OF_BOUNDS' }) },
      ],
      ['remove', '/$variables/0', undefined, 'VAR_UNDEFINED', { visible: expect.any(Array) }],
      ['test', '/$manifest/title', 'Other', 'PATCH_APPLY_FAILED', { reason: 'test', actual: 'Team pulse' }],
    ])('refuses %s %s', async (op, path, value, code, details) => {
      const operation = value === undefined ? { op, path } : { op, path, value };
      expect(await on.refused('dash_validate_patch', validate(operation))).toMatchObject({ code, details });
    });

    it('reports every independent fault of a config at once', async () => {
      const wrong = {
        id: 'm',
        type: 'metric',
        config: { connectionId: 'pulse', format: 'roman', digits: 99 },
      };
      const fault = await on.refused(
        'dash_validate_patch',
        validate({ op: 'add', path: '/body/children/-', value: block('b', wrong) }),
      );
      expect(fault.code).toBe('RESOLVE_CONFIG_INVALID');
      const pointers = (fault.details['violations'] as { pointer: string }[]).map(({ pointer }) => pointer);
      expect(pointers).toEqual(expect.arrayContaining(['/format', '/digits']));
    });

    it('repairs a stored document that no longer resolves', async () => {
      const hurt = { ...teamPulse(), theme: { tone: 'loud' } };
      const path = join(on.directory, 'hurt.json');
      await writeFile(path, JSON.stringify({ ...hurt, manifest: { formatVersion: '1.0.0', id: 'hurt' } }));
      try {
        expect(await on.ask('dash_get_outline', { id: 'hurt' })).toMatchObject({
          problem: { code: 'RESOLVE_DOCUMENT_INVALID' },
          root: { id: 'page' },
        });
        await on.ask('dash_get_node', { id: 'hurt', nodeId: '$theme' });
        expect((await on.refused('dash_validate_patch', { id: 'hurt', ops: [] })).code).toBe(
          'RESOLVE_DOCUMENT_INVALID',
        );
        const ops = [{ op: 'replace', path: '/$theme/tone', value: 'accent' }];
        expect(await on.ask('dash_validate_patch', { id: 'hurt', ops })).toMatchObject({ ok: true });
      } finally {
        await rm(path);
      }
    });

    it('takes every surface key of every node and scope as the tail of a path', async () => {
      const nodes = [
        'page',
        'filters',
        'team-pick',
        'body',
        'scores-block',
        'scores',
        'note-block',
        'note',
        '$root',
      ];
      let tried = 0;
      for (const nodeId of [...nodes, '$manifest', '$theme', '$variables', '$connections']) {
        const node = await on.ask<Fields>('dash_get_node', { id, nodeId });
        const own = (node.ownSurface ?? []).map(field => ({ ...field, prefix: `/${nodeId}/config` }));
        const shown = node.surface.map(field => ({ ...field, prefix: node.surfacePath ?? '' }));
        for (const { prefix, key, type } of [...shown, ...own]) {
          const path = `${prefix}/${key.replaceAll('.', '/')}`;
          await on.ask('dash_validate_patch', validate({ op: 'add', path, value: fitting(key, type) }));
          tried++;
        }
      }
      expect(tried).toBeGreaterThan(40);
    });
  });
}

/** A value that the field takes whatever else the config holds. */
function fitting(key: string, type: string): Json {
  if (type === 'enum') return allowed(key)[0] ?? '';
  if (key === 'columns') return [{ header: 'Person', field: 'person' }];
  if (key === 'grid.columns') return [1, 1];
  if (key === 'grid') return { columns: [1, 1] };
  if (key === 'query') return { weeks: 2 };
  return { string: 'text', number: 1, integer: 1, boolean: true, array: [1], object: {} }[type] ?? null;
}

function allowed(key: string): Json[] {
  const surfaces = [
    ...[...catalog.items.values()].flat().map(({ surface }) => surface),
    ...Object.values(catalog.scopeSurfaces),
  ];
  const field = surfaces.flat().find(entry => entry.field === key && entry.type === 'enum');
  return (field?.constraints?.['enum'] as Json[] | undefined) ?? [];
}
