import { describe, expect, it } from 'vitest';
import { commitChangeset, dryRunChangeset } from '#src/changeset/pipeline.ts';
import { canonicalBytes } from '#src/document/canonical.ts';
import { openDocumentEngine } from '#src/reads/document-engine.ts';
import { errorOf, KINDS, storeAt, temporaryRoots } from '../store/stores.ts';
import { teamPulse } from './team-pulse.ts';

const root = temporaryRoots();
const id = 'team-pulse';
const block = {
  id: 'b2',
  type: 'block',
  config: { content: { id: 'c2', type: 'markdown', config: { source: 'x' } } },
};

async function contextOn(kind: 'fs' | 'git' = 'fs') {
  const store = storeAt(kind, await root());
  await store.save(id, canonicalBytes(teamPulse()));
  return { store, ...openDocumentEngine() };
}

describe('a changeset with the shipped types and the resolver', () => {
  it.each(KINDS)('is previewed and committed alike on the %s store', async kind => {
    const context = await contextOn(kind);
    const ops = [
      { op: 'replace', path: '/$variables/1/default', value: 8 },
      { op: 'move', from: '/note-block', path: '/body/children/0' },
    ];
    const { preview, baseRevision } = await dryRunChangeset(context, { id, ops });
    const body = preview.root.children?.[1];
    expect(body?.children?.map(node => node.id)).toEqual(['note-block', 'scores-block']);
    expect(body?.children?.[1]?.children?.[0]?.config).toMatchObject({ title: 'WEB / last 8 weeks' });
    expect(await context.store.revision(id)).toBe(baseRevision);
    const done = await commitChangeset(context, { id, ops, expectedRevision: baseRevision! });
    expect(done.result).toEqual(preview);
    expect(done.revision).not.toBe(baseRevision);
  });

  it.each([
    [
      { op: 'add', path: '/page/children/-', value: block },
      'PATCH_STRUCTURE_INVALID',
      'GRAMMAR_ROOT_CHILD_INVALID',
    ],
    [
      { op: 'add', path: '/scores-block/placement/colStart', value: 9 },
      'PATCH_STRUCTURE_INVALID',
      'LAYOUT_PLACEMENT_OUT_OF_BOUNDS',
    ],
    [{ op: 'remove', path: '/note' }, 'PATCH_STRUCTURE_INVALID', 'WRAPPER_CHILD_COUNT_INVALID'],
    [{ op: 'remove', path: '/$variables/0' }, 'VAR_UNDEFINED', undefined],
    [
      { op: 'replace', path: '/$connections/0/id', value: 'other' },
      'BINDING_CONNECTION_NOT_FOUND',
      undefined,
    ],
  ])('%j is refused and nothing is stored', async (operation, code, cause) => {
    const context = await contextOn();
    const before = await context.store.revision(id);
    for (const run of [dryRunChangeset, commitChangeset]) {
      const error = await errorOf(run(context, { id, ops: [operation] }));
      expect(error).toMatchObject({
        code,
        ...(cause === undefined ? {} : { details: { cause: { code: cause } } }),
      });
    }
    expect(await context.store.revision(id)).toBe(before);
  });

  it('repairs a stored document that does not resolve', async () => {
    const context = await contextOn();
    const { variables: _variables, ...broken } = teamPulse();
    await context.store.save(id, canonicalBytes(broken));
    expect(await errorOf(dryRunChangeset(context, { id, ops: [] }))).toMatchObject({ code: 'VAR_UNDEFINED' });
    const ops = (teamPulse()['variables'] as object[]).map(value => ({
      op: 'add',
      path: '/$variables/-',
      value,
    }));
    await expect(dryRunChangeset(context, { id, ops })).resolves.toHaveProperty('preview');
  });

  it('of hundreds of thousands of nodes, put in or stored, is over the limit', async () => {
    const context = await contextOn();
    const many = Array.from({ length: 200_000 }, (_, index) => ({ id: `n${index}`, type: 'container' }));
    const limit = { code: 'RESOLVE_DOCUMENT_INVALID', details: { reason: 'limit' } };
    const put = [{ op: 'add', path: '/$root', value: { id: 'page', type: 'container', children: many } }];
    for (const run of [dryRunChangeset, commitChangeset]) {
      expect(await errorOf(run(context, { id, ops: put }))).toMatchObject(limit);
    }
    const manifest = { formatVersion: '1.0.0', id: 'wide' };
    const wide = { manifest, root: { id: 'page', type: 'container', children: many } };
    await context.store.save('wide', new TextEncoder().encode(JSON.stringify(wide)));
    for (const run of [dryRunChangeset, commitChangeset]) {
      expect(await errorOf(run(context, { id: 'wide', ops: [] }))).toMatchObject(limit);
    }
  });

  it('that repeats a long value in hundreds of nodes is refused before it is stored', async () => {
    const context = await contextOn();
    const before = await context.store.revision(id);
    const containers = Array.from({ length: 260 }, (_, index) => ({
      op: 'add',
      path: '/page/children/-',
      value: { id: `c${index}`, type: 'container', variables: [{ name: `v${index}`, type: 'number' }] },
    }));
    const long = { name: 'long', type: 'string', default: 'x'.repeat(2_200_000) };
    const ops = [{ op: 'add', path: '/$variables/-', value: long }, ...containers];
    for (const run of [dryRunChangeset, commitChangeset]) {
      expect(await errorOf(run(context, { id, ops }))).toMatchObject({
        code: 'RESOLVE_DOCUMENT_INVALID',
        details: { reason: 'limit' },
      });
    }
    expect(await context.store.revision(id)).toBe(before);
  });
});
