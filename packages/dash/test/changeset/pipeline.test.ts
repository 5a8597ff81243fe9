import { readFileSync, writeFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ChangesetContext } from '#src/changeset/applied.ts';
import { deleteDocument } from '#src/changeset/deletion.ts';
import { commitChangeset, dryRunChangeset } from '#src/changeset/pipeline.ts';
import { canonicalBytes } from '#src/document/canonical.ts';
import type { JsonObject } from '#src/document/json.ts';
import { DashError } from '#src/errors.ts';
import type { DocumentStore } from '#src/store/contract.ts';
import { errorOf, git, KINDS, storeAt, temporaryRoots } from '../store/stores.ts';
import { smallTypes } from './small-types.ts';
import { teamPulse } from './team-pulse.ts';

const root = temporaryRoots();
const id = 'team-pulse';
const rename = (value: string) => [{ op: 'replace', path: '/$manifest/title', value }];

/** The pipeline with a resolver that answers with the document itself. */
function shopOf(
  store: DocumentStore,
  resolve = (document: JsonObject): JsonObject => document,
): ChangesetContext<JsonObject> {
  return { store, types: smallTypes, resolve };
}

async function stored(kind: 'fs' | 'git') {
  const directory = await root();
  const store = storeAt(kind, directory);
  await store.save(id, canonicalBytes(teamPulse()));
  return {
    directory,
    store,
    context: shopOf(store),
    bytes: () => readFile(join(directory, `${id}.json`), 'utf8'),
  };
}

describe.each(KINDS)('a changeset on the %s store', kind => {
  it('is committed with the revision that a dry run gave, and gives what the preview showed', async () => {
    const { context, store, bytes } = await stored(kind);
    const before = await bytes();
    const tried = await dryRunChangeset(context, { id, ops: rename('Weekly') });
    expect(await bytes()).toBe(before);
    expect(tried.changes).toEqual([
      { kind: 'changed', nodeId: '$manifest', field: 'title', from: 'Team pulse', to: 'Weekly' },
    ]);
    const done = await commitChangeset(context, {
      id,
      ops: rename('Weekly'),
      expectedRevision: tried.baseRevision!,
    });
    expect(done.revision).not.toBe(tried.baseRevision);
    expect(done.revision).toBe(await store.revision(id));
    expect(done.result).toEqual(tried.preview);
    const stale = { id, ops: rename('Again'), expectedRevision: tried.baseRevision! };
    expect(await errorOf(commitChangeset(context, stale))).toMatchObject({
      code: 'CHANGESET_REVISION_CONFLICT',
      details: { id, expected: tried.baseRevision, current: done.revision },
    });
    expect(await errorOf(dryRunChangeset(context, stale))).toMatchObject({
      code: 'CHANGESET_REVISION_CONFLICT',
    });
    expect(JSON.parse(await bytes())).toHaveProperty('manifest.title', 'Weekly');
  });

  it('that conflicts is told what changed in between, and which operations still apply', async () => {
    const { context, store } = await stored(kind);
    const expectedRevision = await store.revision(id);
    await commitChangeset(context, { id, ops: [{ op: 'remove', path: '/note-block' }, ...rename('Weekly')] });
    const ops = [
      { op: 'add', path: '/note/config/source', value: 'Gone' },
      { op: 'replace', path: '/scores/config/title', value: 'Points' },
    ];
    const conflict = await errorOf(commitChangeset(context, { id, ops, expectedRevision }));
    expect(conflict).toMatchObject({
      code: 'CHANGESET_REVISION_CONFLICT',
      details: {
        rebase: { applies: 1, of: 2, failing: [{ index: 0, code: 'CHANGESET_TARGET_NOT_FOUND' }] },
      },
    });
    const { changes } = conflict.details as { changes?: { nodeId: string }[] };
    const told = kind === 'git' ? ['$manifest', 'note-block'] : undefined;
    expect(changes?.map(({ nodeId }) => nodeId)).toEqual(told);
  });

  it('wins once among twenty with one expected revision', async () => {
    const { context, store } = await stored(kind);
    const expectedRevision = await store.revision(id);
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        commitChangeset(context, { id, ops: rename(`T${index}`), expectedRevision }),
      ),
    );
    const failed = all.flatMap(result => (result.status === 'rejected' ? [result.reason as DashError] : []));
    expect(failed.map(error => error.code)).toEqual(Array(19).fill('CHANGESET_REVISION_CONFLICT'));
  });

  it('loses no edit among twenty without one', async () => {
    const { context, store } = await stored(kind);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        commitChangeset(context, {
          id,
          ops: [{ op: 'add', path: '/$variables/-', value: { name: `v${index}`, type: 'string' } }],
        }),
      ),
    );
    const { variables } = JSON.parse(Buffer.from((await store.load(id)).bytes).toString()) as {
      variables: { name: string }[];
    };
    expect(new Set(variables.map(variable => variable.name)).size).toBe(3 + 20);
  });

  it('that changes nothing writes nothing, however the file is laid out', async () => {
    const { directory, context, store, bytes } = await stored(kind);
    await writeFile(join(directory, `${id}.json`), `\uFEFF${JSON.stringify(teamPulse(), null, 7)}`);
    const [before, revision] = [await bytes(), await store.revision(id)];
    for (const ops of [[], rename('Team pulse')]) {
      expect((await commitChangeset(context, { id, ops })).revision).toBe(revision);
    }
    expect(await bytes()).toBe(before);
  });

  it('keeps the member order of the file: the next difference shows the edit alone', async () => {
    const { directory, context, bytes } = await stored(kind);
    const { root: tree, manifest, ...rest } = teamPulse();
    await writeFile(
      join(directory, `${id}.json`),
      canonicalBytes({ root: tree!, ...rest, manifest: manifest! }),
    );
    const before = (await bytes()).split('\n');
    await commitChangeset(context, { id, ops: rename('Weekly') });
    const after = (await bytes()).split('\n');
    const different = after.filter((line, index) => line !== before[index]);
    expect(different).toEqual(['    "title": "Weekly"']);
    expect(after).toHaveLength(before.length);
  });

  it('with one bad operation changes nothing', async () => {
    const { context, bytes } = await stored(kind);
    const before = await bytes();
    const ops = [...rename('Weekly'), { op: 'remove', path: '/ghost' }];
    expect(await errorOf(commitChangeset(context, { id, ops }))).toMatchObject({
      code: 'CHANGESET_TARGET_NOT_FOUND',
    });
    expect(await bytes()).toBe(before);
  });

  it('starts again when another program writes past the lock, and gives up after five times', async () => {
    const { directory, store, bytes } = await stored(kind);
    const interfere = (times: number) => {
      let left = times;
      return shopOf(store, document => {
        if (left > 0) interferingWrite(join(directory, `${id}.json`), `hand ${left--}`);
        return document;
      });
    };
    const ops = [{ op: 'add', path: '/$theme/tone', value: 'accent' }];
    await commitChangeset(interfere(2), { id, ops });
    expect(JSON.parse(await bytes())).toMatchObject({
      manifest: { title: 'hand 1' },
      theme: { tone: 'accent' },
    });
    const again = [{ op: 'add', path: '/$theme/tone', value: 'critical' }];
    expect(await errorOf(commitChangeset(interfere(9), { id, ops: again }))).toMatchObject({
      code: 'STORAGE_BUSY',
    });
    const expectedRevision = await store.revision(id);
    expect(await errorOf(commitChangeset(interfere(1), { id, ops: again, expectedRevision }))).toMatchObject({
      code: 'CHANGESET_REVISION_CONFLICT',
    });
  });

  it('refuses what the store cannot hold, in dry run and commit alike', async () => {
    const { directory, context } = await stored(kind);
    const big = [{ op: 'replace', path: '/note/config/source', value: 'x'.repeat(9_000_000) }];
    const both = async (ops: unknown, expected: object, of = id) => {
      for (const run of [dryRunChangeset, commitChangeset]) {
        expect(await errorOf(run(context, { id: of, ops }))).toMatchObject(expected);
      }
    };
    await both(big, { code: 'PATCH_STRUCTURE_INVALID', details: { reason: 'size' } });
    await both({}, { code: 'PATCH_INVALID' }, '../x');
    await both([], { code: 'STORAGE_ID_INVALID' }, '../x');
    await both([], { code: 'STORAGE_NOT_FOUND' }, 'nobody');
    await writeFile(join(directory, 'other.json'), canonicalBytes(teamPulse()));
    await both([], { code: 'STORAGE_ID_MISMATCH', details: { manifestId: id } }, 'other');
    await writeFile(join(directory, 'broken.json'), '{');
    await both([], { code: 'STORAGE_INVALID' }, 'broken');
    const deep = `{"manifest":{"id":"deep"},"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    await writeFile(join(directory, 'deep.json'), deep);
    await both([], { code: 'RESOLVE_DOCUMENT_INVALID', details: { reason: 'limit' } }, 'deep');
    const text = JSON.stringify(teamPulse()).replace('"score":4', '"score":9007199254740993');
    const zeros = '['.repeat(240) + Array(1_300_000).fill('0') + ']'.repeat(240);
    const indented = [{ op: 'add', path: '/$variables/-', value: JSON.parse(zeros) as unknown }];
    await both(indented, { code: 'PATCH_STRUCTURE_INVALID', details: { reason: 'size' } });
    await writeFile(join(directory, `${id}.json`), text);
    await both(rename('Weekly'), { code: 'PATCH_STRUCTURE_INVALID', details: { reason: 'number' } });
    expect((await commitChangeset(context, { id, ops: [] })).revision).toBeDefined();
    expect((await readdir(directory)).filter(name => name.startsWith('.dash'))).toEqual([]);
  });
});

describe('the report of step 6', () => {
  it.each([
    'GRAMMAR_ROOT_INVALID',
    'WRAPPER_CHILD_COUNT_INVALID',
    'LAYOUT_PLACEMENT_INVALID',
    'METADATA_NOT_ELIGIBLE',
    'CONFIGURATOR_TARGET_NOT_FOUND',
  ] as const)('wraps %s as a structural rejection', async code => {
    const { store } = await stored('fs');
    const context = shopOf(store, () => {
      throw new DashError(code, 'The node must be another one.', { path: 'root' });
    });
    expect(await errorOf(dryRunChangeset(context, { id, ops: [] }))).toMatchObject({
      code: 'PATCH_STRUCTURE_INVALID',
      details: { cause: { code, message: 'The node must be another one.', details: { path: 'root' } } },
    });
  });

  it.each(['VAR_UNDEFINED', 'SCHEMA_REF_UNRESOLVED', 'BINDING_INVALID', 'WIDGET_TYPE_MISMATCH'] as const)(
    'passes %s on',
    async code => {
      const { store } = await stored('fs');
      const context = shopOf(store, () => {
        throw new DashError(code, 'The node must be another one.');
      });
      expect(await errorOf(commitChangeset(context, { id, ops: rename('x') }))).toMatchObject({ code });
    },
  );

  it('hides unexpected failures behind the code of their layer', async () => {
    const { store } = await stored('fs');
    const fail = () => {
      throw new TypeError('secret detail');
    };
    const resolving = await errorOf(commitChangeset(shopOf(store, fail), { id, ops: rename('x') }));
    const broken = Object.assign(storeAt('fs', '.'), { load: fail, exclusively: fail });
    for (const run of [dryRunChangeset, commitChangeset]) {
      const storing = await errorOf(run(shopOf(broken), { id, ops: [] }));
      expect(storing.toEnvelope()).toMatchObject({
        code: 'STORAGE_INTERNAL',
        message: expect.not.stringContaining('secret'),
      });
    }
    expect(resolving.toEnvelope()).toMatchObject({
      code: 'RESOLVE_INTERNAL',
      message: expect.not.stringContaining('secret'),
    });
  });
});

describe('a store without revisions', () => {
  it('commits without a token, and refuses one that is expected', async () => {
    const { store } = await stored('fs');
    const plain: DocumentStore = Object.assign(Object.create(store) as DocumentStore, {
      capabilities: new Set(),
      load: async (of: string) => ({ bytes: (await store.load(of)).bytes }),
      exclusively: <T>(of: string, work: Parameters<typeof store.exclusively<T>>[1]) =>
        store.exclusively(of, document =>
          work({
            ...document,
            load: async () => ({ bytes: (await document.load()).bytes }),
            save: async bytes => void (await document.save(bytes)) as undefined,
          }),
        ),
    });
    const context = shopOf(plain);
    expect(await dryRunChangeset(context, { id, ops: rename('x') })).not.toHaveProperty('baseRevision');
    expect(await commitChangeset(context, { id, ops: rename('x') })).not.toHaveProperty('revision');
    expect(await errorOf(commitChangeset(context, { id, ops: [], expectedRevision: 'x' }))).toMatchObject({
      code: 'CHANGESET_REVISION_UNSUPPORTED',
      details: { id },
    });
  });
});

it('the git commit of a changeset lists its operations', async () => {
  const { directory, context, store } = await stored('git');
  const base = await store.revision(id);
  await commitChangeset(context, {
    id,
    ops: [...rename('Weekly'), { op: 'remove', path: '/$theme' }],
    message: 'Rename',
  });
  expect(git(directory, 'log', '-1', '--format=%B')).toBe(
    `Rename\n\nreplace /$manifest/title\nremove /$theme\n\nDash-Base-Revision: ${base}`,
  );
});

/** A writer that knows nothing of locks: changes the title in place. */
function interferingWrite(path: string, title: string): void {
  const document = JSON.parse(readFileSync(path, 'utf8')) as { manifest: { title: string } };
  document.manifest.title = title;
  writeFileSync(path, JSON.stringify(document));
}

describe.each(KINDS)('creation, inverse and deletion on the %s store', kind => {
  it('creates from an empty page, once, and tries that without writing', async () => {
    const { context, store } = await stored(kind);
    const request = {
      id: 'new',
      create: true as const,
      ops: [{ op: 'add', path: '/page/children/-', value: { id: 'body', type: 'container', children: [] } }],
    };
    expect((await dryRunChangeset(context, request)).changes).toMatchObject([
      { kind: 'added', nodeId: 'body' },
    ]);
    expect(await store.exists('new')).toBe(false);
    const { revision } = await commitChangeset(context, request);
    expect(await store.revision('new')).toBe(revision);
    for (const again of [() => commitChangeset(context, request), () => dryRunChangeset(context, request)]) {
      expect(await errorOf(again())).toMatchObject({ code: 'STORAGE_EXISTS', details: { id: 'new' } });
    }
    await commitChangeset(context, { ...request, id: 'blank', ops: [] });
    expect(JSON.parse(new TextDecoder().decode((await store.load('blank')).bytes)).root.id).toBe('page');
  });

  it('names the nearest ids and the way to a new document for one that does not exist', async () => {
    const { context } = await stored(kind);
    for (const run of [commitChangeset, dryRunChangeset]) {
      expect(
        await errorOf(run<JsonObject>(context, { id: 'team-puls', ops: [] }) as Promise<unknown>),
      ).toMatchObject({
        code: 'STORAGE_NOT_FOUND',
        details: { id: 'team-puls', known: ['team-pulse'], hint: 'create: true' },
      });
    }
  });

  it('answers the changeset that leads back, and the revision that it expects', async () => {
    const { context, bytes } = await stored(kind);
    const before = await bytes();
    const { inverse, revision } = await commitChangeset(context, {
      id,
      ops: rename('Weekly'),
      inverse: true,
    });
    expect(inverse).toEqual({
      ops: [{ op: 'replace', path: '/$manifest/title', value: 'Team pulse' }],
      expectedRevision: revision,
    });
    await commitChangeset(context, { id, ...inverse! });
    expect(await bytes()).toBe(before);
  });

  it('deletes only the state that is expected', async () => {
    const { store } = await stored(kind);
    const expectedRevision = await store.revision(id);
    expect(await errorOf(deleteDocument(store, { id, expectedRevision: 'other' }))).toMatchObject({
      code: 'CHANGESET_REVISION_CONFLICT',
      details: { id, expected: 'other', current: expectedRevision },
    });
    const revision = await deleteDocument(store, { id, expectedRevision });
    expect(revision === undefined).toBe(kind === 'fs');
    expect(await store.exists(id)).toBe(false);
    expect(await errorOf(deleteDocument(store, { id, expectedRevision }))).toMatchObject({
      code: 'STORAGE_NOT_FOUND',
    });
  });
});
