import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReviewServer } from '#src/mcp/review-server.ts';
import { DASH_TOOLS } from '#src/mcp/server.ts';
import { teamPulse } from '../resolve/team-pulse.ts';
import { Tools, toolsOn } from './in-process.ts';

const id = 'team-pulse';
const long = JSON.parse(readFileSync(new URL('long-changeset.json', import.meta.url), 'utf8')) as unknown[];

/** The members of the second specification, by tool. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  dash_list_dashboards: ['dashboards'],
  dash_get_outline: ['id', 'revision', 'document', 'root'],
  dash_get_node: ['id', 'nodeId', 'revision', 'subtree', 'surface'],
  dash_get_document: ['id', 'document', 'resolved'],
  dash_list_schemas: ['types'],
  dash_get_schema: ['type', 'schema'],
  dash_validate_patch: ['ok', 'preview', 'baseRevision', 'code', 'message', 'details'],
  dash_list_skills: ['skills'],
  dash_get_skill: ['name', 'body'],
  dash_get_manifest: ['tools', 'itemTypes', 'skills', 'dashboards', 'store'],
};

const CALLS: readonly (readonly [string, object, object])[] = [
  ['dash_list_dashboards', {}, {}],
  ['dash_get_manifest', {}, {}],
  ['dash_list_skills', {}, {}],
  ['dash_list_schemas', {}, {}],
  ['dash_get_skill', { name: 'blocks' }, {}],
  ['dash_get_schema', { type: 'chart' }, { brief: false }],
  ['dash_get_outline', { id }, { references: 'team', proposals: true, undo: false }],
  ['dash_get_outline', { id: 'nobody' }, { references: 'team', proposals: true }],
  ['dash_get_node', { id, nodeId: 'scores-block' }, { resolved: false }],
  ['dash_get_node', { id, nodeId: 'nobody' }, { resolved: false }],
  ['dash_get_document', { id }, { resolved: false }],
  ['dash_get_document', { id, resolved: true }, { overrides: {} }],
  ...[
    long,
    [],
    [{ op: 'remove', path: '/note' }],
    [{ op: 'replace', path: '/scores/config/connectionId', value: 'x' }],
    [{ op: 'remove', path: '/$variables/0' }],
    'nothing',
  ].map(
    ops =>
      [
        'dash_validate_patch',
        { id, ops },
        {
          ...{ preview: 'full', inverse: true, queries: true, image: true },
          ...{ review: true, note: 'a note', create: false },
        },
      ] as const,
  ),
];

describe('the members of the second specification', () => {
  let folder: Awaited<ReturnType<typeof toolsOn>>;

  beforeAll(async () => {
    folder = await toolsOn({ [id]: teamPulse() });
  });

  afterAll(() => folder.stop());

  /** The members of the specification that an answer has. */
  async function members(tools: Tools, name: string, args: object) {
    const { data, isError } = await tools.call(name, args);
    const named = [...(MEMBERS[name] ?? []), ...(isError ? ['code', 'message', 'details'] : [])];
    return [
      isError,
      Object.fromEntries(named.filter(member => member in data).map(member => [member, data[member]])),
    ];
  }

  it('are asked of every tool', () => {
    expect(new Set(CALLS.map(([name]) => name))).toEqual(new Set(DASH_TOOLS.map(({ name }) => name)));
    expect(DASH_TOOLS).toHaveLength(10);
  });

  it.each(CALLS)(
    'are the same with every flag set, and with every argument given: %s %j',
    async (name, args, further) => {
      const plain = await members(folder.tools, name, args);
      const { context } = folder.tools;
      const flagged = new Tools({
        ...context,
        preview: 'full',
        review: new ReviewServer('http://127.0.0.1:9'),
      });
      expect(await members(flagged, name, args)).toEqual(plain);
      expect(await members(folder.tools, name, { ...args, ...further })).toEqual(plain);
      const short = new Tools({ ...context, preview: 'none' });
      const [isError, told] = (await members(short, name, args)) as [boolean, Record<string, unknown>];
      const { preview: _, ...others } = plain[1] as Record<string, unknown>;
      expect([isError, told]).toEqual([plain[0], others]);
    },
  );
});
