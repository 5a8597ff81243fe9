// What an application developer gets wrong, row by row, and what the answer is.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Msg } from '@msg/server';
import { closeServer, RawClient, runMsg } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '#src/auth/api-keys/secret.ts';
import { configuredServer } from '../support/configured-server.ts';
import { embed, stopEmbedded } from '../support/embedded.ts';
import { post, rpcOf } from '../support/rpc.ts';

const KEY = 'key-of-a-backend-that-is-right-000';
const EXPIRED = 'key-of-a-backend-that-is-over-0000';
const NARROW = 'key-of-a-backend-that-is-narrow-00';
const CREATE_APP = new URL('../../../create-msg-app/bin/create-msg-app.js', import.meta.url).pathname;

const CONFIG = `
auth:
  api_keys:
    - { name: backend, sha256: ${digestOf(KEY)} }
    - { name: over, sha256: ${digestOf(EXPIRED)}, expires: 2020-01-01T00:00:00Z }
    - name: narrow
      sha256: ${digestOf(NARROW)}
      grants: [{ pattern: 'private:a.*', verbs: [manage, subscribe, publish] }]
api: { enabled: true, open_channels: auto, bare_names: 'public:app.' }
`;

let folder: string;
let server: Awaited<ReturnType<typeof configuredServer>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'msg-bad-input-'));
  server = await configuredServer(CONFIG, {}, folder);
});
afterAll(async () => {
  await server.stop();
  await stopEmbedded();
  rmSync(folder, { recursive: true, force: true });
});

async function send(path: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'x-api-key': KEY, ...headers },
    body,
  });
  return { status: response.status, text: await response.text() };
}
const refused = (code: number, message: string): string => JSON.stringify({ error: { code, message } });

describe('API on, no key configured: a boot error that names auth.api_keys', () => {
  it('and nothing listens', async () => {
    const config = join(folder, 'no-key.yaml');
    writeFileSync(config, 'api: { enabled: true }\n');
    const { code, stdout, stderr } = await runMsg(['serve', '--addr', '127.0.0.1:0', '--config', config]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('api.enabled needs a key: declare one in auth.api_keys');
  });
});

describe('a faulty key: a boot error with path and line', () => {
  it.each([
    ['from an unset variable', [`key: '$\{UNSET_KEY}'`], 'auth.api_keys[0].key is empty', 4],
    ['a digest of the wrong length', ['sha256: abc'], 'auth.api_keys[0].sha256 must be a SHA-256 digest', 4],
    [
      'the same name twice',
      [`sha256: ${digestOf(KEY)}`, `sha256: ${digestOf(EXPIRED)}`],
      'auth.api_keys[1].name "shop" is already used',
      5,
    ],
  ])('%s', async (_, members, problem, line) => {
    const config = join(folder, 'faulty.yaml');
    const keys = members.map(member => `    - name: shop\n      ${member}\n`).join('');
    writeFileSync(config, `auth:\n  api_keys:\n${keys}`);
    const { code, stderr } = await runMsg(['serve', '--addr', '127.0.0.1:0', '--config', config]);
    expect(code).toBe(1);
    expect(stderr).toContain(problem);
    expect(stderr).toContain(`faulty.yaml:${line}`);
  });
});

describe('a key that is not good: 401, an empty body, before the body is read', () => {
  let revoked: string;
  beforeAll(async () => {
    const rpc = rpcOf(server.url, KEY);
    revoked = String((await rpc('CreateApiKey', { name: 'gone' })).body['key']);
    expect((await send('/api/info', '{}', { 'x-api-key': revoked })).status).toBe(200);
    expect((await rpc('RevokeApiKey', { name: 'gone' })).status).toBe(200);
  });

  it.each([
    ['wrong', () => ({ 'x-api-key': 'wrong' })],
    ['expired', () => ({ 'x-api-key': EXPIRED })],
    ['revoked', () => ({ 'x-api-key': revoked })],
    [
      'right in the second header, wrong in the first',
      () => ({
        'x-api-key': 'wrong',
        authorization: `apikey ${KEY}`,
      }),
    ],
  ])('%s', async (_, headersOf) => {
    expect(await send('/api/info', '{}', headersOf())).toEqual({ status: 401, text: '' });
    // The body never ends; the answer comes all the same.
    const body = new ReadableStream({ start: stream => stream.enqueue(Buffer.from('{')) });
    const unread = { method: 'POST', headers: headersOf(), body, duplex: 'half' } as RequestInit;
    expect((await fetch(`${server.url}/api/publish`, unread)).status).toBe(401);
  });
});

describe('a faulty batch', () => {
  const publish = { publish: { channel: 'batch', data: 1 } };
  const batch = async (commands: unknown) =>
    JSON.parse((await send('/api/batch', JSON.stringify({ commands }))).text);

  it('of 1,001 commands: 107, and nothing is carried out', async () => {
    expect(await batch(new Array(1001).fill({ publish: { channel: 'batch.many', data: 1 } }))).toEqual({
      error: { code: 107, message: 'bad request' },
    });
    expect((await send('/api/history', '{"channel":"batch.many","limit":-1}')).text).toContain(
      '"publications":[]',
    );
  });

  it('with null, two members or an unknown one among its commands: 107 and 104 in place, the others go on', async () => {
    const { replies } = await batch([publish, null, { ...publish, info: {} }, { unknown: {} }, publish]);
    expect(replies).toMatchObject([
      { publish: { offset: 1 } },
      { error: { code: 107 } },
      { error: { code: 107 } },
      { error: { code: 104 } },
      { publish: { offset: 2 } },
    ]);
  });

  it('broken JSON in the middle of the older form: 400, and nothing is carried out', async () => {
    const line = JSON.stringify({ method: 'publish', params: { channel: 'older', data: 1 } });
    expect((await send('/api', `${line}{"method":${line}`)).status).toBe(400);
    expect((await send('/api/history', '{"channel":"older","limit":-1}')).text).toContain(
      '"publications":[]',
    );
  });
});

describe('disconnect with an empty user and no client: 107', () => {
  it('and no client is disconnected', async () => {
    const visitor = await RawClient.open(`${server.url.replace('http', 'ws')}/connection/websocket`);
    await visitor.request({ connect: {} });
    for (const members of ['{"user":""}', '{}', '{"user":"","client":"","session":""}'])
      expect((await send('/api/disconnect', members)).text).toBe(refused(107, 'bad request'));
    // An answer comes over the same connection.
    const { error } = await visitor.request({ rpc: { method: 'still there', data: '' } } as never);
    expect(error?.code).toBe(108);
    visitor.websocket.terminate();
  });
});

describe('a payload that is no JSON: MSG_INVALID_ARGUMENT that names the member, nothing published', () => {
  const cycle: Record<string, unknown> = { name: 'a' };
  cycle['self'] = { again: cycle };
  it.each([
    ['undefined', undefined, /^payload /],
    ['a BigInt inside', { order: { items: [1, 2n] } }, /^payload\.order\.items\[1\] /],
    ['a cycle', cycle, /^payload\.self\.again /],
  ])('%s', async (_, payload, message) => {
    const { msg } = await embed();
    await msg.channels.openPublic('public:app.payloads');
    await expect(msg.publish('public:app.payloads', payload as never)).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message: expect.stringMatching(message),
    });
    expect(await msg.positionOf('public:app.payloads')).toMatchObject({ offset: 0 });
  });
});

describe('a narrow key asks IssueAccess for a wider pattern: 403', () => {
  const ask = (pattern: string) =>
    post(
      server.url,
      'IssueAccess',
      JSON.stringify({ subject: 'ann', scopes: [{ pattern, verbs: ['subscribe'] }] }),
      { 'x-api-key': NARROW },
    );

  it.each(['private:a.**', 'private:b.x', 'private:**', 'public:a.x'])(
    'private:a.* does not cover %s',
    async pattern => {
      expect(await ask(pattern)).toMatchObject({ status: 403, code: 'MSG_AUTH_DENIED' });
    },
  );

  it('private:a.* covers itself and a name below it', async () => {
    for (const pattern of ['private:a.*', 'private:a.x']) expect((await ask(pattern)).status).toBe(200);
  });
});

describe('a body parser that ate the body and left nothing: 500 with the remedy', () => {
  it('at once', async () => {
    const msg = await Msg.start();
    const handle = msg.handler();
    const application = createServer(async (incoming, outgoing) => {
      for await (const _ of incoming);
      handle(incoming, outgoing);
    });
    await new Promise<void>(listening => application.listen(0, '127.0.0.1', listening));
    const { port } = application.address() as AddressInfo; // a bound TCP server
    const { body } = await post(`http://127.0.0.1:${port}`, 'ListChannels', '{}', {
      authorization: `Bearer ${msg.tokens.issueManagement().token}`,
    });
    expect(body).toMatchObject({ msg: 'the body was read by a parser before msg: mount msg first' });
    await msg.stop();
    await closeServer(application);
  });
});

describe('create-msg-app: refused, nothing written, choices listed', () => {
  it.each([
    ['into a full folder', ['full', '--yes'], /full is not empty/],
    ['with a bad name', ['Bad Name!', '--yes'], /Bad Name!/],
    [
      'with an unknown template',
      ['new', '--yes', '--template', 'shop'],
      /chat[\s\S]*orders|orders[\s\S]*chat/,
    ],
  ])('%s', (_, args, message) => {
    const home = mkdtempSync(join(folder, 'apps-'));
    mkdirSync(join(home, 'full'));
    writeFileSync(join(home, 'full/mine.txt'), 'mine');
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--conditions=msg-source', '--disable-warning=ExperimentalWarning', CREATE_APP, ...args],
      { cwd: home, encoding: 'utf8' },
    );
    expect(status).toBe(1);
    expect(stderr).toMatch(message);
    expect(readdirSync(home, { recursive: true }).toSorted()).toEqual(['full', 'full/mine.txt']);
  });
});
