import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ReviewServer } from '#src/mcp/review-server.ts';
import { post, Serving } from '../../http/serving.ts';
import { teamPulse } from '../../resolve/team-pulse.ts';
import { storeAt, temporaryRoots } from '../../store/stores.ts';
import { Tools, toolsOn } from '../in-process.ts';

const id = 'team-pulse';
const root = temporaryRoots();
const short = [{ op: 'replace', path: '/$manifest/title', value: 'Weekly' }];
/** Text that does not compress. */
const noise = (characters: number) => randomBytes(characters).toString('base64').slice(0, characters);
const sized = (characters: number) => [
  { op: 'replace', path: '/note/config/source', value: noise(characters) },
];

let folder: Awaited<ReturnType<typeof toolsOn>>;
let serving: Serving;
let tools: Tools;

beforeAll(async () => {
  folder = await toolsOn({ [id]: teamPulse() });
  serving = await Serving.start(['--root', folder.root]);
  tools = at(serving.url);
});

afterAll(async () => {
  await serving.stop();
  await folder.stop();
});

function at(address: string): Tools {
  return new Tools({ ...folder.tools.context, review: new ReviewServer(address) });
}

const propose = async (on: Tools, ops: readonly unknown[], args: object = {}) =>
  (await on.validate(id, ops, { preview: 'none', review: true, ...args })).data;

/** The changeset in a fragment, after the check that a damaged copy fails. */
function decoded(url: string) {
  const [, check, payload = ''] = /#v1\.([\w-]{6})\.([\w-]+)$/.exec(url) ?? [];
  expect(createHash('sha256').update(payload).digest('base64url').slice(0, 6)).toBe(check);
  return JSON.parse(inflateRawSync(Buffer.from(payload, 'base64url')).toString());
}

describe('a link', () => {
  it('of a short changeset holds it, and no server is asked', async () => {
    const answer = await propose(at('http://127.0.0.1:9'), short, { note: 'A weekly title' });
    expect(answer).toMatchObject({
      ok: true,
      reviewUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:9\/review#v1\./),
    });
    expect(answer.reviewUrl.length).toBeLessThanOrEqual(512);
    expect(decoded(answer.reviewUrl)).toEqual({
      id,
      ops: short,
      baseRevision: answer.baseRevision,
      note: 'A weekly title',
    });
    expect(answer).not.toHaveProperty('reviewHint');
  });

  it('of a longer one is a proposal that serve holds, the same one for the same changeset', async () => {
    const ops = sized(3_000);
    const first = await propose(tools, ops, { note: 'Longer' });
    expect(first.reviewUrl).toMatch(new RegExp(`^${serving.url}/r/[a-z2-7]{10}$`));
    expect((await propose(tools, ops)).reviewUrl).toBe(first.reviewUrl);
    const held = await fetch(first.reviewUrl.replace('/r/', '/api/proposals/'));
    expect(await held.json()).toMatchObject({ id, ops, note: 'Longer', via: 'handed', state: 'open' });
  });

  it('is alive again after a restart of serve when the changeset is validated again', async () => {
    const ops = sized(3_000);
    const other = await Serving.start(['--root', folder.root]);
    const { reviewUrl } = await propose(at(other.url), ops);
    const { port } = other;
    await other.stop();
    const again = await Serving.start(['--root', folder.root, '--port', port]);
    onTestFinished(async () => {
      await again.stop();
    });
    expect((await fetch(reviewUrl.replace('/r/', '/api/proposals/'))).status).toBe(404);
    expect((await propose(at(again.url), ops)).reviewUrl).toBe(reviewUrl);
    expect((await fetch(reviewUrl.replace('/r/', '/api/proposals/'))).status).toBe(200);
  });

  it('without an address, and without operations, is a hint or nothing', async () => {
    const without = await propose(folder.tools, short);
    expect(without).toMatchObject({ ok: true, reviewHint: expect.stringContaining('--review-url') });
    expect(without).not.toHaveProperty('reviewUrl');
    const nothing = await propose(tools, []);
    expect(Object.keys(nothing)).toEqual(['ok', 'baseRevision', 'changes']);
  });

  it('comes after ok alone, and before the preview', async () => {
    const ops = [{ op: 'replace', path: '/nobody/config/title', value: 'x' }];
    const failed = await propose(tools, ops);
    expect(failed).toMatchObject({ ok: false, code: 'CHANGESET_TARGET_NOT_FOUND' });
    expect(failed).not.toHaveProperty('reviewUrl');
    const { data } = await tools.validate(id, short, { preview: 'changed', review: true });
    expect(Object.keys(data)).toEqual(['ok', 'baseRevision', 'changes', 'reviewUrl', 'preview']);
  });

  it.each([
    [{ review: 'soon' }, 'review'],
    [{ review: 1 }, 'review'],
    [{ note: 'without review' }, 'note'],
    [{ review: true, note: 'n'.repeat(501) }, 'note'],
    [{ review: true, note: '' }, 'note'],
    [{ review: true, note: 'left\u202eright' }, 'note'],
    [{ review: true, note: 'a\u0000b' }, 'note'],
    [{ review: true, note: 'Dash-Committed-By: me\nDash-Proposal: x' }, 'note'],
    [{ preview: 'rendering' }, 'preview'],
    [{ inverse: 'yes' }, 'inverse'],
    [{ create: 1 }, 'create'],
  ])('refuses %j', async (args, argument) => {
    const { data, text } = await tools.validate(id, short, args);
    expect(data).toMatchObject({ ok: false, code: 'MCP_INVALID', details: { argument } });
    expect(text.length).toBeLessThan(1_500);
  });
});

/** A server that is not dashdoc serve. */
async function impostor(listener: RequestListener): Promise<string> {
  const server = createHttpServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function silentServer(): Promise<string> {
  const server = createTcpServer(socket => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a review address that does not do its part never fails a validation', () => {
  it.each([
    ['nothing listens', async () => 'http://127.0.0.1:9'],
    ['it hangs', silentServer],
    ['it answers nonsense', () => impostor((_request, answer) => answer.end('<html>hello</html>'))],
    ['it answers other JSON', () => impostor((_request, answer) => answer.end('{"proposal":"aaaaaaaaaa"}'))],
    ['it answers a list', () => impostor((_request, answer) => answer.end('[1]'))],
    [
      'it refuses',
      () => impostor((_request, answer) => answer.writeHead(503).end('{"code":"PROPOSAL_LIMIT"}')),
    ],
    ['it drips', () => impostor((_request, answer) => void answer.write('{'))],
  ])('%s', async (_name, address) => {
    const on = at(await address());
    const answer = await propose(on, sized(3_000));
    expect(answer).toMatchObject({ ok: true, baseRevision: expect.any(String) });
    expect(answer.reviewHint).toContain('dashdoc serve');
    expect(decoded(answer.reviewUrl).id).toBe(id);
    const long = await propose(on, sized(20_000));
    expect(long).toMatchObject({ ok: true, reviewHint: expect.any(String) });
    expect(long).not.toHaveProperty('reviewUrl');
  });

  it('a redirect is not followed', async () => {
    let asked = 0;
    const target = await impostor((_request, answer) => {
      asked++;
      answer.end('{}');
    });
    const on = at(await impostor((_request, answer) => answer.writeHead(307, { location: target }).end()));
    expect(await propose(on, sized(3_000))).toMatchObject({ ok: true, reviewHint: expect.any(String) });
    expect(asked).toBe(0);
  });

  it('a changeset of 1 MiB is refused by serve, and still valid', async () => {
    const answer = await propose(tools, sized(1024 * 1024));
    expect(answer).toMatchObject({
      ok: true,
      reviewHint: expect.stringMatching(/SERVE_TOO_LARGE|PROPOSAL_LIMIT/),
    });
    expect(answer).not.toHaveProperty('reviewUrl');
  });
});

describe('what became of a proposal', () => {
  it('is told by the outline: sent back with a comment, and committed', async () => {
    const ops = sized(3_000);
    const { reviewUrl, baseRevision } = await propose(tools, ops);
    const proposal = reviewUrl.split('/').at(-1);
    const told = async () =>
      (await tools.call('dash_get_outline', { id, proposals: true })).data.proposals[0];
    expect(await told()).toMatchObject({ proposal, state: 'open' });
    const headers = { 'content-type': 'application/json' };
    await post(`${serving.url}/api/proposals/${proposal}/return`, { comment: 'Shorter, please' }, headers);
    expect(await told()).toMatchObject({ proposal, state: 'returned', comment: 'Shorter, please' });
    const next = await propose(tools, [...ops, ...short]);
    const name = next.reviewUrl.split('/').at(-1);
    const body = {
      id,
      ops: [...ops, ...short],
      expectedRevision: baseRevision,
      proposal: name,
      result: 'none',
    };
    const { status } = await post(`${serving.url}/api/patch`, body, headers);
    expect(status).toBe(200);
    expect(await told()).toMatchObject({ proposal: name, state: 'committed', revision: expect.any(String) });
  });

  it('without an answer of serve is a hint', async () => {
    for (const on of [folder.tools, at('http://127.0.0.1:9')]) {
      const { data } = await on.call('dash_get_outline', { id, proposals: true });
      expect(data).toMatchObject({ id, reviewHint: expect.any(String) });
      expect(data).not.toHaveProperty('proposals');
    }
  });
});

describe.each(['fs', 'git'] as const)('a new dashboard on the %s store', kind => {
  it('takes five calls from the manifest to the list', async () => {
    const directory = await root();
    const shop = await Serving.start(['--store', kind, '--root', directory]);
    onTestFinished(async () => {
      await shop.stop();
    });
    const store = storeAt(kind, directory);
    const on = new Tools({ ...folder.tools.context, store, review: new ReviewServer(shop.url) });
    const { data: manifest } = await on.call('dash_get_manifest');
    expect(manifest).toMatchObject({
      hint: expect.any(String),
      capabilities: { create: true, reviewUrl: shop.url },
    });
    const ops = [
      { op: 'add', path: '/$manifest/title', value: 'Shop' },
      { op: 'add', path: '/page/children/-', value: { id: 'body', type: 'container', children: [] } },
    ];
    const { data: unknown } = await on.validate('shop', ops, { preview: 'none' });
    expect(unknown).toMatchObject({
      code: 'STORAGE_NOT_FOUND',
      details: { hint: 'create: true', known: [] },
    });
    const { data } = await on.validate('shop', ops, { preview: 'none', create: true, review: true });
    expect(data).toMatchObject({ ok: true, reviewUrl: expect.any(String) });
    expect(decoded(data.reviewUrl)).toEqual({ id: 'shop', ops, create: true });
    expect(await readdir(directory)).not.toContain('shop.json');
    // The page of the link hands the same body over, and the human commits it.
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
    const { body: held } = await post(`${shop.url}/api/proposals`, decoded(data.reviewUrl), headers);
    const commit = { id: 'shop', ops, create: true, proposal: held.proposal, result: 'none' };
    expect((await post(`${shop.url}/api/patch`, commit, headers)).status).toBe(200);
    const { data: listed } = await on.call('dash_list_dashboards');
    expect(listed.dashboards).toEqual([{ id: 'shop', title: 'Shop' }]);
    const { data: again } = await on.validate('shop', ops, { create: true });
    expect(again).toMatchObject({ ok: false, code: 'STORAGE_EXISTS' });
  });
});
