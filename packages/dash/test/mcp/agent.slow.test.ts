import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post, Serving } from '../http/serving.ts';
import { git } from '../store/stores.ts';
import { RawHost } from './host.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));
const ids = (await readdir(EXAMPLES))
  .filter(file => file.endsWith('.json'))
  .map(file => basename(file, '.json'));

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value: unknown;
}

interface Outlined {
  readonly id: string;
  readonly type: string;
  readonly children: readonly Outlined[];
}

interface Fault {
  readonly ok: false;
  readonly code: string;
  readonly details: {
    readonly known: string[];
    readonly suggestedPath: string;
    readonly expected: string;
    readonly allowed?: string[];
    readonly cause: { readonly code: string };
  };
}

let root: string;
let host: RawHost;
let serving: Serving;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'dash-agent-'));
  await cp(EXAMPLES, root, { recursive: true });
  git(root, 'init', '-q');
  git(root, 'config', 'user.name', 'someone');
  git(root, 'config', 'user.email', 'someone@example.com');
  git(root, 'add', '.');
  git(root, 'commit', '-q', '-m', 'examples');
  const where = ['--store', 'git', '--root', root];
  host = new RawHost(where);
  await host.initialize();
  serving = await Serving.start(where);
}, 120_000);

afterAll(async () => {
  await host.hangUp();
  await serving.stop();
  await rm(root, { recursive: true });
});

/** What a tool answered; of a failing one its coded error. */
async function ask<T>(name: string, args: object = {}): Promise<T> {
  return JSON.parse((await host.tool(name, args)).content[0]?.text ?? '') as T;
}

async function fault(id: string, ops: readonly Operation[], code: string): Promise<Fault['details']> {
  const answer = await ask<Fault>('dash_validate_patch', { id, ops });
  expect(answer).toMatchObject({ ok: false, code });
  return answer.details;
}

/** The first block of a tree whose content has fields of its own, and the region that holds it. */
async function editableBlock(id: string, node: Outlined, holder?: Outlined): Promise<Edited | undefined> {
  if (holder !== undefined && node.type === 'block') {
    const { surface, ownSurface } = await ask<Fields>('dash_get_node', { id, nodeId: node.id });
    const field = surface.find(({ key }) => !ownSurface.some(own => own.key === key) && !key.includes('.'));
    if (field !== undefined) return { block: node, holder, field };
  }
  for (const child of node.children) {
    const found = await editableBlock(id, child, node);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Fields {
  readonly surface: readonly { key: string; type: string }[];
  readonly ownSurface: readonly { key: string; type: string }[];
}

interface Edited {
  readonly block: Outlined;
  readonly holder: Outlined;
  readonly field: { readonly key: string; readonly type: string };
}

describe('an agent that knows nothing but what the errors tell', () => {
  it('finds all examples', async () => {
    const { dashboards } = await ask<{ dashboards: { id: string }[] }>('dash_list_dashboards');
    expect(dashboards.map(({ id }) => id)).toEqual(ids.sort());
  });

  it.each(ids)('edits %s from the list to the commit', async id => {
    const outline = await ask<{ revision: string; root: Outlined }>('dash_get_outline', { id });
    const { block, holder, field } = (await editableBlock(id, outline.root)) as Edited;

    // A field of the content, tried on the block: the error names its path.
    const misled = { op: 'add', path: `/${block.id}/config/${field.key}`, value: {} };
    const { suggestedPath: path } = await fault(id, [misled], 'PATCH_OFF_SURFACE');

    // A value of another type: the error names the one it takes.
    const wrong = field.type === 'boolean' ? 'text' : true;
    const { expected } = await fault(id, [{ op: 'add', path, value: wrong }], 'PATCH_VALUE_INVALID');
    expect(expected).toBe(field.type);

    // A misspelt type of a new item: the error knows the nearest.
    const { details } = await ask<Fault>('dash_get_schema', { type: 'headng' });
    const type = details.known[0] ?? '';
    const { schema } = await ask<{ schema: { examples: object[] } }>('dash_get_schema', { type });
    const content = { id: 'agent-item', type, config: schema.examples[0] };
    const added = (at: string, blockId: string): Operation => ({
      op: 'add',
      path: `/${at}/children/-`,
      value: { id: blockId, type: 'block', config: { content } },
    });

    // An id that is taken, a misspelt holder, a place where no block may stand.
    await fault(id, [added(holder.id, block.id)], 'PATCH_ID_INVALID');
    const { known } = await fault(id, [added(`${holder.id}x`, 'agent-block')], 'CHANGESET_TARGET_NOT_FOUND');
    expect(known[0]).toBe(holder.id);
    const { cause } = await fault(id, [added('$root', 'agent-block')], 'PATCH_STRUCTURE_INVALID');
    expect(cause.code).toBe('GRAMMAR_ROOT_CHILD_INVALID');

    const ops = [added(known[0] ?? '', 'agent-block')];
    const tried = await ask<{ ok: boolean; baseRevision: string; preview: unknown; changes: unknown[] }>(
      'dash_validate_patch',
      { id, ops },
    );
    expect(tried).toMatchObject({ ok: true, baseRevision: outline.revision });
    expect(tried.changes).toMatchObject([{ kind: 'added', nodeId: 'agent-block' }]);

    // The human commits, once; a second commit onto the same revision comes too late.
    const url = `${serving.url}/api/patch`;
    const commit = { id, ops, expectedRevision: tried.baseRevision };
    const committed = await post(url, commit);
    expect(committed.status).toBe(200);
    expect(committed.body.result).toEqual(tried.preview);
    const next = await ask<{ revision: string }>('dash_get_outline', { id });
    expect(next.revision).toBe(committed.body.revision);
    expect(JSON.stringify(next)).toContain('agent-item');
    const late = await post(url, commit);
    expect(late).toMatchObject({ status: 409, body: { code: 'CHANGESET_REVISION_CONFLICT' } });
  });
});
