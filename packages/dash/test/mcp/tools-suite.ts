// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the documents interpolate, the program does not
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { loadCatalog } from '#src/catalog/index.ts';
import { teamPulse } from '../changeset/team-pulse.ts';
import { type Described, type Fields, id, ToolsUnderTest } from './tools-under-test.ts';
import type { Way } from './ways.ts';

const catalog = loadCatalog();

interface Node {
  readonly id: string;
  readonly children: readonly Node[];
}

/** The reading half of M1 to M14 of the second specification, against the real process that was started one way. */
export function toolsSuite(way: Way): void {
  const on = new ToolsUnderTest(way);

  describe('the ten tools', () => {
    it('are listed with schemas and annotations, and nothing else is', () => {
      const names =
        'dash_get_document dash_get_manifest dash_get_node dash_get_outline dash_get_schema dash_get_skill ' +
        'dash_list_dashboards dash_list_schemas dash_list_skills dash_validate_patch';
      expect(on.tools.map(({ name }) => name).sort()).toEqual(names.split(' '));
      expect(JSON.stringify({ tools: on.tools }).length).toBeLessThanOrEqual(8_000);
      const ajv = new Ajv2020({ strict: false });
      for (const tool of on.tools) {
        expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
        expect(tool.outputSchema['type']).toBe('object');
        ajv.compile(tool.inputSchema);
        ajv.compile(tool.outputSchema);
        expect(tool.annotations).toEqual({
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: way.asks === true && tool.name === 'dash_validate_patch',
        });
        const page =
          tool.name === 'dash_validate_patch' ? { ui: { resourceUri: 'ui://dash/preview' } } : undefined;
        expect(tool._meta).toEqual(page);
      }
    });

    it('refuse missing, mistyped and unknown arguments as coded errors', async () => {
      const fault = async (name: string, args: object) => {
        const { code, details } = await on.refused(name, args);
        return [code, details['tool'], details['argument'], details['reason']];
      };
      expect(await fault('dash_get_outline', {})).toEqual([
        'MCP_INVALID',
        'dash_get_outline',
        'id',
        'missing',
      ]);
      expect(await fault('dash_get_node', { id, nodeId: 3 })).toEqual([
        ...['MCP_INVALID', 'dash_get_node', 'nodeId', 'type'],
      ]);
      expect(await fault('dash_get_document', { id, resolved: 'yes' })).toEqual([
        ...['MCP_INVALID', 'dash_get_document', 'resolved', 'type'],
      ]);
      expect(await fault('dash_list_dashboards', { id })).toEqual([
        ...['MCP_INVALID', 'dash_list_dashboards', 'id', 'unknown'],
      ]);
      const misspelt = await on.refused('dash_get_node', { id, nodeid: 'scores' });
      expect(misspelt.details.known?.[0]).toBe('nodeId');
      expect((await on.refused('dash_validate_patch', { ops: [] })).code).toBe('MCP_INVALID');
      expect((await on.refused('dash_validate_patch', { id })).code).toBe('PATCH_INVALID');
      expect((await on.refused('dash_validate_patch', { id, ops: {} })).code).toBe('PATCH_INVALID');
    });

    it('name what exists, the nearest first, when something does not', async () => {
      const document = await on.refused('dash_get_outline', { id: 'team-puls' });
      expect(document).toMatchObject({ code: 'STORAGE_NOT_FOUND', details: { id: 'team-puls' } });
      const node = await on.refused('dash_get_node', { id, nodeId: 'score' });
      expect(node).toMatchObject({ code: 'CHANGESET_TARGET_NOT_FOUND', details: { id, nodeId: 'score' } });
      expect(node.details.known?.[0]).toBe('scores');
      const type = await on.refused('dash_get_schema', { type: 'tabel' });
      expect(type).toMatchObject({ code: 'SCHEMA_NOT_FOUND', details: { type: 'tabel' } });
      expect(type.details.known?.[0]).toBe('table');
      const skill = await on.refused('dash_get_skill', { name: 'variable' });
      expect(skill).toMatchObject({ code: 'MCP_SKILL_NOT_FOUND', details: { name: 'variable' } });
      expect(skill.details.known?.[0]).toBe('variables');
    });

    it.each(['../x', 'a/b', '.git', ''])('refuse the document id %j', async unsafe => {
      for (const name of ['dash_get_outline', 'dash_get_document'])
        expect((await on.refused(name, { id: unsafe })).code).toBe('STORAGE_ID_INVALID');
      expect((await on.refused('dash_validate_patch', { id: unsafe, ops: [] })).code).toBe(
        'STORAGE_ID_INVALID',
      );
    });
  });

  describe('reading', () => {
    it('outlines every node once, without configs', async () => {
      const outline = await on.ask<{ revision: string; root: Node }>('dash_get_outline', { id });
      const ids = (node: Node): string[] => [node.id, ...node.children.flatMap(ids)];
      expect(ids(outline.root)).toEqual([
        ...['page', 'filters', 'team-pick', 'body', 'scores-block', 'scores', 'note-block', 'note'],
      ]);
      expect(JSON.stringify(outline)).not.toMatch(/Shown for|Person|pulse"\s*,\s*"query/);
      expect(JSON.stringify(outline)).toContain('WEB / last 4 weeks');
      const node = await on.ask<{ revision: string }>('dash_get_node', { id, nodeId: 'scores' });
      expect(node.revision).toBe(outline.revision);
    });

    it('shows of a block the surface of its content, whose path works in a patch', async () => {
      const node = await on.ask<Fields & { subtree: object }>('dash_get_node', {
        id,
        nodeId: 'scores-block',
      });
      expect(node.surface).toEqual([
        { key: 'columns', type: 'array' },
        { key: 'query', type: 'object' },
        { key: 'title', type: 'string' },
      ]);
      expect(node.subtree).toMatchObject({ config: { content: { id: 'scores', type: 'table' } } });
      const path = `${node.surfacePath}/title`;
      await on.ask('dash_validate_patch', { id, ops: [{ op: 'replace', path, value: 'Pinned' }] });
    });

    it('lists the item types, then the envelope, and hands out each', async () => {
      const { types } = await on.ask<{ types: string[] }>('dash_list_schemas');
      expect(types).toEqual([...[...catalog.items.keys()].sort(), 'dashboard']);
      for (const type of [...types, 'theme', 'connection/http', 'connection/static', 'table@1.0.0']) {
        expect(await on.ask('dash_get_schema', { type })).toMatchObject({
          type,
          schema: { $id: expect.any(String) },
        });
      }
    });

    it('adds the resolved tree only on request', async () => {
      const document = (args: object) => on.ask<object>('dash_get_document', { id, ...args });
      expect(await document({})).toEqual({ id, document: teamPulse() });
      expect(await document({ resolved: false })).toEqual({ id, document: teamPulse() });
      expect(await document({ resolved: true })).toMatchObject({
        document: teamPulse(),
        resolved: { root: { id: 'page', role: 'region' } },
      });
    });

    it('lists a corrupt file by its id and answers for the others', async () => {
      await writeFile(join(on.directory, 'broken.json'), '{"manifest":');
      await writeFile(
        join(on.directory, 'deep.json'),
        `{"manifest":{"id":"deep"},"root":${'['.repeat(5000)}${']'.repeat(5000)}}`,
      );
      try {
        expect(await on.ask('dash_list_dashboards')).toEqual({
          dashboards: [{ id: 'broken' }, { id: 'deep' }, { id, title: 'Team pulse' }],
        });
        expect((await on.refused('dash_get_outline', { id: 'broken' })).code).toBe('STORAGE_INVALID');
        expect(await on.refused('dash_get_outline', { id: 'deep' })).toMatchObject({
          code: 'RESOLVE_DOCUMENT_INVALID',
          details: { reason: 'limit' },
        });
        await on.ask('dash_get_outline', { id });
      } finally {
        await Promise.all(['broken', 'deep'].map(name => rm(join(on.directory, `${name}.json`))));
      }
    });

    it('lists types, skills and documents in the manifest', async () => {
      const manifest = await on.ask<Record<string, unknown[]>>('dash_get_manifest');
      const { types } = await on.ask<{ types: string[] }>('dash_list_schemas');
      const { skills } = await on.ask<{ skills: { name: string; description: string }[] }>(
        'dash_list_skills',
      );
      expect(manifest).toMatchObject({
        server: 'dash',
        version: 'dev',
        formatVersion: '1.0.0',
        itemTypes: types,
        skills: skills.map(({ name, description }) => ({ name, description })),
        dashboards: [{ id, title: 'Team pulse' }],
        dashboardCount: 1,
        store: { kind: way.store, revisions: true, history: way.store === 'git' },
        capabilities: { read: true, simulate: true, persist: false, writeEndpoint: 'POST /api/patch' },
      });
      expect(manifest['tools']?.map(tool => (tool as Described).name)).toEqual(
        on.tools.map(({ name }) => name),
      );
      expect(manifest['connectionTypes']).toMatchObject(
        [...catalog.connections.keys()].sort().map(name => ({ name, description: expect.any(String) })),
      );
    });
  });
}
