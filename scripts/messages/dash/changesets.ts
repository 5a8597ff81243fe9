import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ChangesetContext,
  canonicalBytes,
  commitChangeset,
  type DashCode,
  type DocumentEngine,
  type DocumentStore,
  FileStore,
  openStore,
} from '@msg/dash';
import { teamPulse } from '../../../packages/dash/test/resolve/team-pulse.ts';
import type { Provocations } from '../provocation.ts';
import { BrokenStore, engine, ID, PlainStore } from './stores.ts';

type Edit = Readonly<Record<string, unknown>>;

function contextOf(
  store: DocumentStore,
  resolve: DocumentEngine['resolve'] = engine.resolve,
): ChangesetContext<unknown> {
  return { store, types: engine.types, resolve: document => resolve(document) };
}

/** Calls of the store and of the changeset pipeline that end in each of their codes. */
export function changesetCalls(root: string): Provocations<DashCode> {
  const store = new FileStore({ root });
  const at = contextOf(store);
  const patch =
    (op: Edit, context = at) =>
    () =>
      commitChangeset(context, { id: ID, ops: [op] });
  const retitle = { op: 'replace', path: '/$manifest/title', value: 'Pulse' };
  return {
    STORAGE_NOT_FOUND: [{ when: 'an id that the store does not have', call: () => store.load('missing') }],
    STORAGE_EXISTS: [
      {
        when: 'a new document with an id in use',
        call: () => store.save(ID, canonicalBytes(teamPulse()), { create: true }),
      },
    ],
    STORAGE_ID_INVALID: [{ when: 'an id that is a path', call: () => store.load('../secrets') }],
    STORAGE_ID_MISMATCH: [
      {
        when: 'a file with the document of another id',
        call: () => store.save('other', canonicalBytes(teamPulse())),
      },
    ],
    STORAGE_INVALID: [
      {
        when: 'a file that is not JSON',
        call: async () => {
          await writeFile(join(root, 'broken.json'), '{');
          await commitChangeset(at, { id: 'broken', ops: [retitle] });
        },
      },
    ],
    STORAGE_IO: [
      {
        when: 'a file that is a directory',
        call: async () => {
          await mkdir(join(root, 'folder.json'), { recursive: true });
          await store.load('folder');
        },
      },
    ],
    STORAGE_BUSY: [
      {
        when: 'a lock that another writer holds for too long',
        call: () =>
          store.exclusively(ID, () =>
            new FileStore({ root, lockWaitMs: 20 }).save(ID, canonicalBytes(teamPulse())),
          ),
      },
    ],
    STORAGE_BACKEND_UNKNOWN: [{ when: 'an unknown kind of store', call: () => openStore('sqlite', root) }],
    STORAGE_CAPABILITY_UNSUPPORTED: [
      { when: 'the history of a store of files', call: () => store.history(ID) },
    ],
    STORAGE_INTERNAL: [
      {
        when: 'a store that fails without a code',
        call: patch(retitle, contextOf(new BrokenStore({ root }))),
      },
    ],
    CHANGESET_TARGET_NOT_FOUND: [
      {
        when: 'a node that does not exist',
        call: patch({ op: 'replace', path: '/scors/config/title', value: 'x' }),
      },
    ],
    CHANGESET_REVISION_CONFLICT: [
      {
        when: 'a commit onto an older revision',
        call: () => commitChangeset(at, { id: ID, ops: [retitle], expectedRevision: 'older' }),
      },
    ],
    CHANGESET_REVISION_UNSUPPORTED: [
      {
        when: 'an expected revision on a store without revisions',
        call: () =>
          commitChangeset(contextOf(new PlainStore({ root })), {
            id: ID,
            ops: [retitle],
            expectedRevision: 'x',
          }),
      },
    ],
    PATCH_INVALID: [
      { when: 'an operation without a value', call: patch({ op: 'replace', path: '/scores/config/title' }) },
      { when: 'an unknown operation', call: patch({ op: 'rename', path: '/scores' }) },
    ],
    PATCH_POINTER_INVALID: [
      { when: 'a pointer without a leading slash', call: patch({ op: 'remove', path: 'scores' }) },
    ],
    PATCH_OFF_SURFACE: [
      {
        when: 'a member that the type does not declare editable',
        call: patch({ op: 'replace', path: '/scores/config/connectionId', value: 'x' }),
      },
    ],
    PATCH_VALUE_INVALID: [
      {
        when: 'a value outside an enum',
        call: patch({ op: 'replace', path: '/$theme/tone', value: 'loud' }),
      },
      {
        when: 'a text where a number belongs',
        call: patch({ op: 'replace', path: '/body/config/grid/gap', value: 'wide' }),
      },
    ],
    PATCH_ID_INVALID: [
      {
        when: 'a new node with an id in use',
        call: patch({ op: 'add', path: '/body/children/-', value: { id: 'body', type: 'container' } }),
      },
      {
        when: 'a new node without an id',
        call: patch({ op: 'add', path: '/body/children/-', value: { type: 'container' } }),
      },
    ],
    PATCH_STRUCTURE_INVALID: [
      { when: 'the root as the target of a removal', call: patch({ op: 'remove', path: '/page' }) },
    ],
    PATCH_APPLY_FAILED: [
      {
        when: 'a test that does not hold',
        call: patch({ op: 'test', path: '/$manifest/title', value: 'Other' }),
      },
    ],
    RESOLVE_INTERNAL: [
      {
        when: 'a resolver that fails without a code',
        call: patch(
          retitle,
          contextOf(store, () => {
            throw new RangeError('stack');
          }),
        ),
      },
    ],
  };
}
