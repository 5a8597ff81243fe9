// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the documents interpolate, the program does not
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitChangeset } from '#src/changeset/pipeline.ts';
import { canonicalBytes } from '#src/document/canonical.ts';
import { GitStore } from '#src/store/git-store.ts';
import { teamPulse } from '../../resolve/team-pulse.ts';
import { Tools, toolsOn } from '../in-process.ts';

const id = 'team-pulse';
let root: string;
let tools: Tools;
const revisions: string[] = [];

/** Three states: as it was, with another title, with a note that is gone. */
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'dash-history-'));
  const store = new GitStore({ root });
  tools = new Tools({ store });
  const commit = (ops: object[], proposal: string) =>
    commitChangeset({ store, ...tools.context.engine }, { id, ops, trailers: { 'Dash-Proposal': proposal } });
  revisions.push((await store.save(id, canonicalBytes(teamPulse()))) ?? '');
  for (const [ops, proposal] of [
    [[{ op: 'replace', path: '/scores/config/title', value: 'Points' }], 'aaaaaaaaaa'],
    [[{ op: 'remove', path: '/note-block' }], 'bbbbbbbbbb'],
  ] as const) {
    revisions.push((await commit([...ops], proposal)).revision ?? '');
  }
});

afterAll(() => rm(root, { recursive: true }));

const outline = async (args: object) => (await tools.call('dash_get_outline', { id, ...args })).data;

describe('a document as it was', () => {
  it('is outlined, read and resolved at a revision, whole or short', async () => {
    expect(JSON.stringify(await outline({}))).not.toContain('note-block');
    const then = await outline({ at: revisions[1] });
    expect(then).toMatchObject({ revision: revisions[1] });
    expect(JSON.stringify(then)).toContain('note-block');
    const node = (await tools.call('dash_get_node', { id, nodeId: 'scores', at: revisions[0]?.slice(0, 12) }))
      .data;
    expect(node.subtree.config.title).toBe('${caption}');
    const document = (await tools.call('dash_get_document', { id, at: revisions[0], resolved: true })).data;
    expect(document.document).toEqual(teamPulse());
    expect(JSON.stringify(document.resolved)).toContain('WEB / last 4 weeks');
  });

  it.each([
    [{ at: 'nonsense' }, 'STORAGE_NOT_FOUND'],
    [{ at: 'f'.repeat(40) }, 'STORAGE_NOT_FOUND'],
    [{ at: '--help' }, 'STORAGE_NOT_FOUND'],
    [{ at: 'x'.repeat(100_000) }, 'STORAGE_NOT_FOUND'],
    [{ since: 'nonsense' }, 'STORAGE_NOT_FOUND'],
    [{ at: 3 }, 'MCP_INVALID'],
    [{ history: 1e9 }, 'MCP_INVALID'],
    [{ history: 0 }, 'MCP_INVALID'],
    [{ history: 1.5 }, 'MCP_INVALID'],
    [{ history: '5' }, 'MCP_INVALID'],
    [{ undo: true }, 'MCP_INVALID'],
    [{ undo: 'yes', since: 'x' }, 'MCP_INVALID'],
    [{ references: ['team'] }, 'MCP_INVALID'],
    [{ proposals: 1 }, 'MCP_INVALID'],
    [{ whatever: 1 }, 'MCP_INVALID'],
  ])('refuses %j in a bounded answer', async (args, code) => {
    const { data, text, isError } = await tools.call('dash_get_outline', { id, ...args });
    expect([isError, data.code]).toEqual([true, code]);
    expect(text.length).toBeLessThan(2_000);
    expect((await outline({})).id).toBe(id);
  });

  it('refuses the revision of another document', async () => {
    const { store } = tools.context;
    const other = { ...teamPulse(), manifest: { formatVersion: '1.0.0', id: 'other' } };
    const revision = await store.save('other', canonicalBytes(other));
    // The commit holds team-pulse as it was then: a revision names a state of the whole store.
    expect((await outline({ since: revision })).changes).toEqual([]);
    const before = await tools.call('dash_get_outline', { id: 'other', at: revisions[0] });
    expect(before.data.code).toBe('STORAGE_NOT_FOUND');
  });

  it('that was never committed has an empty history', async () => {
    const manifest = { formatVersion: '1.0.0', id: 'by-hand' };
    await writeFile(join(root, 'by-hand.json'), canonicalBytes({ ...teamPulse(), manifest }));
    const { data } = await tools.call('dash_get_outline', { id: 'by-hand', history: 5 });
    expect(data).toMatchObject({ id: 'by-hand', history: [] });
    await rm(join(root, 'by-hand.json'));
  });

  it('without a history says so', async () => {
    const folder = await toolsOn({ [id]: teamPulse() });
    for (const args of [{ at: 'abcdef' }, { since: 'abcdef' }, { history: 3 }]) {
      const { data } = await folder.tools.call('dash_get_outline', { id, ...args });
      expect(data.code).toBe('STORAGE_CAPABILITY_UNSUPPORTED');
    }
    await folder.stop();
  });
});

describe('what happened', () => {
  it('is told by the newest commits, with their words and their proposal', async () => {
    const { history } = await outline({ history: 2 });
    expect(history).toHaveLength(2);
    expect(history[0]).toMatchObject({ revision: revisions[2], proposal: 'bbbbbbbbbb' });
    expect(history[1].words.join(' ')).toContain('Points');
    expect((await outline({ history: 50 })).history).toHaveLength(3);
  });

  it('since a revision is told as changes', async () => {
    const { changes } = await outline({ since: revisions[1] });
    expect(changes).toMatchObject([{ kind: 'removed', nodeId: 'note-block' }]);
    expect((await outline({ since: revisions[0], at: revisions[1] })).changes).toMatchObject([
      { nodeId: 'scores', field: 'config.title' },
    ]);
  });

  it('is undone by ops that validate, and give the old document when they are committed', async () => {
    const { undoOps } = await outline({ since: revisions[0], undo: true });
    const { data } = await tools.validate(id, undoOps, { preview: 'none', inverse: true });
    expect(data).toMatchObject({ ok: true });
    const { store, engine } = tools.context;
    const before = await outline({});
    await commitChangeset({ store, ...engine }, { id, ops: undoOps });
    expect((await tools.call('dash_get_document', { id })).data.document).toEqual(teamPulse());
    await commitChangeset({ store, ...engine }, { id, ops: data.inverse.ops });
    expect((await outline({})).root).toEqual(before.root);
  });
});

describe('references', () => {
  it('name every use of a variable, a connection and a node', async () => {
    const uses = async (references: string) => (await outline({ references, at: revisions[0] })).references;
    expect(await uses('team')).toEqual(
      expect.arrayContaining([
        { nodeId: '$variables', path: '/$variables/2/expr', form: 'expr' },
        { nodeId: 'team-pick', path: '/team-pick/config/variable', form: 'widget' },
        { nodeId: 'note', path: '/note/config/source', form: '${}' },
      ]),
    );
    expect(await uses('pulse')).toEqual([
      { nodeId: 'scores', path: '/scores/config/connectionId', form: 'binding' },
    ]);
    expect(await uses('nobody')).toEqual([]);
  });
});
