import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { canonicalBytes } from '#src/document/canonical.ts';
import { teamPulse } from '../changeset/team-pulse.ts';
import { git, storeAt } from '../store/stores.ts';
import { ask, askJson, type JsonAnswer, post as postPlain, Serving } from './serving.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const rename = (value: string) => [{ op: 'replace', path: '/$manifest/title', value }];

let directory = '';
let serving: Serving;
let id = '';
let count = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'dash-proposals-'));
  await mkdir(directory, { recursive: true });
  await storeAt('git', directory).save(
    'start',
    canonicalBytes({ ...teamPulse(), manifest: { formatVersion: '1.0.0', id: 'start' } }),
  );
  const flags = [
    '--store',
    'git',
    '--root',
    directory,
    '--user-header',
    'X-User',
    '--trust-proxy',
    '127.0.0.0/8',
  ];
  serving = await Serving.start(flags);
}, 120_000);
afterAll(async () => {
  await serving.stop();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  count++;
  id = `pulse-${count}`;
  await storeAt('git', directory).save(
    id,
    canonicalBytes({ ...teamPulse(), manifest: { formatVersion: '1.0.0', id, title: 'Team pulse' } }),
  );
});

const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<JsonAnswer> =>
  postPlain(`${serving.url}${path}`, body, { ...JSON_TYPE, ...headers });
const get = (path: string): Promise<JsonAnswer> => askJson(`${serving.url}${path}`);
const handOver = async (more: object = {}): Promise<JsonAnswer['body']> => {
  const { status, body } = await post('/api/proposals', { id, ops: rename('Weekly'), ...more });
  expect(status).toBe(201);
  return body;
};
const trailers = () =>
  git(directory, 'log', '-1', '--format=%(trailers:only,unfold)').split('\n').filter(Boolean);

describe('a proposal over HTTP', () => {
  it('is handed over with its words, committed once onto its base, and named in the commit', async () => {
    const proposer = { name: 'agent\nDash-Committed-By: root', version: '1.0' };
    const handed = await handOver({ note: 'Weekly now', proposer });
    expect(handed).toMatchObject({ id, state: 'open', via: 'handed', current: true, note: 'Weekly now' });
    expect(handed.words.map(({ text }: { text: string }) => text)).toEqual([
      'Renamed the dashboard “Team pulse” to “Weekly”',
    ]);
    const waiting = get(`/api/proposals/${handed.proposal}?wait=45`);
    const commit = {
      id,
      ops: rename('Weekly'),
      expectedRevision: handed.baseRevision,
      proposal: handed.proposal,
    };
    const committed = await post(
      '/api/patch',
      { ...commit, inverse: true, result: 'none' },
      { 'x-user': 'Ada' },
    );
    expect(committed.status).toBe(200);
    expect(committed.body).toEqual({
      revision: expect.any(String),
      inverse: { ops: rename('Team pulse'), expectedRevision: committed.body.revision },
    });
    expect(trailers()).toEqual([
      `Dash-Base-Revision: ${handed.baseRevision}`,
      `Dash-Proposal: ${handed.proposal}`,
      'Dash-Proposed-By: agent\\u000aDash-Committed-By: root 1.0',
      'Dash-Committed-By: Ada',
    ]);
    expect((await waiting).body).toMatchObject({ state: 'committed', revision: committed.body.revision });
    expect(await post('/api/patch', commit)).toMatchObject({
      status: 409,
      body: { code: 'PROPOSAL_DECIDED', details: { state: 'committed' } },
    });
    const undone = await post('/api/patch', { id, ...committed.body.inverse });
    expect(undone.body.result.manifest.title).toBe('Team pulse');
  });

  it('is sent back with a comment, and superseded by a newer one of the same proposer', async () => {
    const proposer = { name: 'agent', version: '1' };
    const first = await handOver({ proposer });
    await handOver({ proposer, ops: rename('Monthly') });
    expect((await get(`/api/proposals/${first.proposal}`)).body.state).toBe('superseded');
    const second = await handOver({ ops: rename('Daily') });
    const returned = await post(`/api/proposals/${second.proposal}/return`, { comment: 'Not daily' });
    expect(returned.body).toMatchObject({ state: 'returned', comment: 'Not daily' });
    expect((await post(`/api/proposals/${second.proposal}/return`, { comment: '' })).status).toBe(409);
    const { body } = await get(`/api/proposals?id=${id}`);
    expect(body.proposals.map(({ state }: { state: string }) => state)).toEqual([
      'returned',
      'open',
      'superseded',
    ]);
  });

  it('is tried again on a changed document: what still applies becomes another proposal', async () => {
    const ops = [
      ...rename('Weekly'),
      { op: 'replace', path: '/note/config/source', value: 'x' },
      { op: 'test', path: '/$manifest/title', value: 'Weekly' },
    ];
    const handed = await handOver({ ops });
    await post('/api/patch', { id, ops: [{ op: 'remove', path: '/note-block' }] });
    const stale = await post('/api/patch', {
      id,
      ops,
      expectedRevision: handed.baseRevision,
      proposal: handed.proposal,
    });
    expect(stale).toMatchObject({ status: 409, body: { code: 'CHANGESET_REVISION_CONFLICT' } });
    const { body } = await post(`/api/proposals/${handed.proposal}/rebase`, {});
    expect(body).toMatchObject({
      applies: 2,
      of: 3,
      failing: [{ index: 1, code: 'CHANGESET_TARGET_NOT_FOUND' }],
    });
    expect(body.between[0].text).toMatch(/^Removed text/);
    const next = (await get(`/api/proposals/${body.proposal}`)).body;
    expect(next).toMatchObject({ state: 'open', current: true, ops: [ops[0], ops[2]] });
    const committed = await post('/api/patch', {
      id,
      ops: next.ops,
      expectedRevision: next.baseRevision,
      proposal: next.proposal,
    });
    expect(committed.status).toBe(200);
  });

  it('shows why it cannot be committed, and what was created', async () => {
    const broken = await handOver({ ops: [{ op: 'remove', path: '/$variables/0' }] });
    expect(broken).toMatchObject({ problem: { code: 'VAR_UNDEFINED' }, words: [{ kind: 'removed' }] });
    const created = {
      id: `${id}-new`,
      create: true,
      ops: rename('New').map(operation => ({ ...operation, op: 'add' })),
    };
    const handed = (await post('/api/proposals', created)).body;
    expect(handed).toMatchObject({
      create: true,
      current: true,
      words: [{ text: 'Title of the dashboard: none → New' }],
    });
    expect((await post('/api/patch', { ...created, proposal: handed.proposal })).status).toBe(200);
    expect((await post('/api/proposals', created)).body.code).toBe('STORAGE_EXISTS');
  });

  it.each([
    ['no operations', { ops: [] }, 400, 'PROPOSAL_INVALID'],
    ['a malformed operation', { ops: [{ op: 'put' }] }, 400, 'PROPOSAL_INVALID'],
    ['an unknown member', { extra: 1 }, 400, 'PROPOSAL_INVALID'],
    ['a note that is too long', { note: 'x'.repeat(501) }, 400, 'PROPOSAL_INVALID'],
    ['create with a base', { create: true, baseRevision: 'r' }, 400, 'PROPOSAL_INVALID'],
    ['create: false', { create: false }, 400, 'PROPOSAL_INVALID'],
    ['an unknown document', { id: 'nothing' }, 404, 'STORAGE_NOT_FOUND'],
    ['an unsafe id', { id: '../x' }, 422, 'STORAGE_ID_INVALID'],
    ['more than 1 MiB', { note: 'x'.repeat(1024 * 1024) }, 413, 'SERVE_TOO_LARGE'],
  ])('is refused with %s', async (_name, more, status, code) => {
    expect(await post('/api/proposals', { id, ops: rename('x'), ...more })).toMatchObject({
      status,
      body: { code },
    });
  });

  it('is not found by an unknown name, a wrong wait is refused, and a commit is of the same operations', async () => {
    expect((await get('/api/proposals/unknown')).body.code).toBe('PROPOSAL_NOT_FOUND');
    for (const path of ['return', 'rebase']) {
      expect((await post(`/api/proposals/unknown/${path}`, { comment: 'x' })).status).toBe(404);
    }
    const { proposal } = await handOver();
    for (const wait of ['46', '-1', 'x', '1.5'])
      expect((await get(`/api/proposals/${proposal}?wait=${wait}`)).status).toBe(400);
    const other = await post('/api/patch', { id, ops: rename('Other'), proposal });
    expect(other).toMatchObject({ status: 400, body: { code: 'PROPOSAL_INVALID' } });
    expect((await get(`/api/proposals/${proposal}`)).body.state).toBe('open');
  });
});

describe('the routes that change documents', () => {
  it('refuse pages of elsewhere and bodies that are not JSON', async () => {
    const revision = (await get(`/api/d/${id}/changes?from=HEAD`)).status;
    expect(revision).toBe(404);
    const bodies: [string, object][] = [
      ['/api/proposals', { id, ops: rename('x') }],
      ['/api/delete', { id, expectedRevision: 'x' }],
      ['/api/proposals/x/return', { comment: 'x' }],
      ['/api/proposals/x/rebase', {}],
      ['/api/patch', { id, ops: rename('x') }],
    ];
    for (const [path, body] of bodies) {
      for (const site of ['cross-site', 'same-site']) {
        expect(await post(path, body, { 'sec-fetch-site': site })).toMatchObject({ status: 403 });
      }
      expect((await post(path, body, { origin: 'http://127.0.0.1:1' })).status).toBe(403);
      if (path === '/api/patch') continue;
      const plain = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: JSON.stringify(body) };
      expect((await askJson(`${serving.url}${path}`, plain)).status).toBe(415);
    }
    expect((await get(`/api/d/${id}/tree`)).body.manifest.title).toBe('Team pulse');
  });

  it('mark what a browser hands over', async () => {
    const { body } = await post(
      '/api/proposals',
      { id, ops: rename('x') },
      { 'sec-fetch-site': 'same-origin' },
    );
    expect(body.via).toBe('link');
  });

  it('create, leave the tree out, and delete only the state that is expected', async () => {
    const created = await post('/api/patch', { id: `${id}-c`, create: true, ops: [], result: 'none' });
    expect(created.body).toEqual({ revision: expect.any(String) });
    expect((await post('/api/validate', { id: `${id}-c`, ops: [], result: 'none' })).body).toEqual({
      ok: true,
      baseRevision: created.body.revision,
      changes: [],
    });
    expect(
      (await post('/api/patch', { id: `${id}-d`, create: true, ops: [], expectedRevision: 'x' })).status,
    ).toBe(400);
    expect((await post('/api/patch', { id, ops: [], result: 'tree' })).status).toBe(400);
    expect((await post('/api/patch', { id: 'pulse', ops: [] })).body.details).toMatchObject({
      hint: 'create: true',
      known: expect.arrayContaining([expect.stringMatching(/^pulse-/)]),
    });
    expect((await post('/api/delete', { id: `${id}-c`, expectedRevision: 'old' })).status).toBe(409);
    expect((await post('/api/delete', { id: `${id}-c` })).status).toBe(400);
    const deleted = await post(
      '/api/delete',
      { id: `${id}-c`, expectedRevision: created.body.revision },
      { 'x-user': 'Ada' },
    );
    expect(deleted).toEqual({ status: 200, body: { id: `${id}-c`, revision: expect.any(String) } });
    expect(trailers()).toContain('Dash-Committed-By: Ada');
    expect((await ask(`${serving.url}/api/d/${id}-c/tree`)).status).toBe(404);
  });

  it('tell what changed between two revisions, and the way back', async () => {
    const before = (await post('/api/validate', { id, ops: [] })).body.baseRevision;
    const { revision } = (await post('/api/patch', { id, ops: rename('Weekly') })).body;
    const { body } = await get(`/api/d/${id}/changes?from=${before}&to=${revision}&undo=1`);
    expect(body.words[0].text).toBe('Renamed the dashboard “Team pulse” to “Weekly”');
    expect(body.undoOps).toEqual(rename('Team pulse'));
    expect((await get(`/api/d/${id}/changes`)).body.undoOps).toBeUndefined();
    expect((await get(`/api/d/${id}/changes?from=${'0'.repeat(40)}`)).status).toBe(404);
  });
});

describe('dashdoc serve', () => {
  it.each([
    [['--user-header', 'X-User'], 'together'],
    [['--trust-proxy', '10.0.0.0/8'], 'together'],
    [['--user-header', 'X User', '--trust-proxy', '10.0.0.0/8'], 'name of a header'],
    [['--user-header', 'X-User', '--trust-proxy', '10.0.0.0/33'], 'network'],
  ])('does not start with %j', async (flags, reason) => {
    const { status, stderr } = await Serving.failing(['--root', directory, '--port', '0', ...flags]);
    expect(status).toBe(1);
    expect(stderr).toContain('SERVE_INVALID');
    expect(stderr).toContain(reason);
  });
});
