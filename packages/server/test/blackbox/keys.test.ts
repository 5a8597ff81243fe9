import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, runMsg } from '@msg/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';
import { keyringDocument, TestKey, writeKeyring } from '../support/minting.ts';
import { manifestOf, rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';
import { closeClients, follow, stockClient } from '../support/stock-client.ts';
import { KEYRING_FILE, memoryOnly, onMemory } from '../support/store-of-run.ts';

interface Listed {
  readonly active_key_id: string;
  readonly keys: readonly Record<string, string>[];
}

afterEach(closeClients);

describe('signing keys', () => {
  test('generate, promote, retire: who verifies when, and what the listing shows', async () => {
    const server = await startServer();
    try {
      const rpc = rpcOf(server.url, server.token);
      const list = async () => (await rpc('ListKeys', {})).body as unknown as Listed;
      const first = await list();
      expect(first.keys).toHaveLength(1);
      expect(Object.keys(first.keys[0] ?? {})).toEqual([
        'id',
        'kid',
        'role',
        'created_at',
        'retired_at',
        'alg',
        'fingerprint',
      ]);
      expect(first.keys[0]).toMatchObject({ role: 'active', retired_at: '', alg: 'HS256' });

      const generated = (await rpc('GenerateKey', {})).body;
      expect(generated).toMatchObject({
        role: 'verify-only',
        kid: expect.stringMatching(/^k-[0-9a-f]{12}$/),
      });
      const second = String(generated['id']);
      expect((await rpc('GenerateKey', { alg: 'none' })).code).toBe('MSG_INVALID_ARGUMENT');
      expect((await rpc('PromoteKey', { kid: second })).status).toBe(200);
      expect((await rpc('PromoteKey', { id: second })).status).toBe(200);
      expect((await rpc('PromoteKey', { id: 'k-none' })).code).toBe('MSG_INVALID_ARGUMENT');
      expect(await list()).toMatchObject({ active_key_id: second });

      const { body } = await rpc('IssueMgmt', {});
      expect(body['signed_by_key_id']).toBe(second);
      const renewed = rpcOf(server.url, String(body['mgmt_token']));
      expect((await rpc('ListChannels', {})).status).toBe(200);
      expect((await renewed('RetireKey', { id: first.active_key_id })).status).toBe(200);
      const old = await rpc('ListChannels', {});
      expect([old.status, old.code, old.body['msg']]).toEqual([
        401,
        'MSG_AUTH_DENIED',
        'token signature is invalid',
      ]);

      const shown = (await renewed('ListKeys', {})).body as unknown as Listed;
      expect(shown.keys.map(key => key['role'])).toEqual(['retired', 'active']);
      expect(shown.keys[0]?.['retired_at']).toMatch(/Z$/);
      const hidden = (await renewed('ListKeys', {})).body as unknown as Listed;
      expect(hidden.keys.map(key => key['id'])).toEqual([second]);
      expect((await renewed('RetireKey', { id: first.active_key_id })).status).toBe(200);
      expect((await renewed('PromoteKey', { id: first.active_key_id })).code).toBe('MSG_INVALID_ARGUMENT');
      expect((await renewed('RetireKey', { id: 'k-none' })).code).toBe('MSG_INVALID_ARGUMENT');
      expect((await renewed('RetireKey', {})).code).toBe('MSG_INVALID_ARGUMENT');
      // A ring that lives in this process has nothing to be read again from.
      expect((await renewed('ReloadKeys', {})).status).toBe(onMemory ? 400 : 200);
    } finally {
      await server.stop();
    }
  });

  test('retiring the only key makes a new one; live subscriptions of the retired one end', async () => {
    const server = await startServer();
    try {
      const rpc = rpcOf(server.url, server.token);
      const name = 'private:shop.order.1';
      const { body } = await rpc('CreatePrivate', { name });
      const client = stockClient(server.websocketUrl, { token: String(body['access_token']) });
      const { ended } = await follow(client, name);
      const { active_key_id } = (await rpc('ListKeys', {})).body;
      const start = performance.now();
      expect((await rpc('RetireKey', { id: active_key_id })).status).toBe(200);
      expect(await ended).toBe(103);
      expect(performance.now() - start).toBeLessThan(5000);
      expect((await rpc('ListKeys', {})).status).toBe(401);
      const manifest = await manifestOf(server.url);
      expect(manifest.active_key_id).not.toBe(active_key_id);
    } finally {
      await server.stop();
    }
  });
});

describe('keyring.json', () => {
  test('is created 0600 in a directory 0700, and keeps tokens valid over a restart', async ({ skip }) => {
    memoryOnly(skip, KEYRING_FILE);
    const stateDir = join(await temporaryFolder(), 'state');
    const first = await startServer({ env: { MSG_STATE_DIR: stateDir } });
    const path = join(stateDir, 'keyring.json');
    expect((await stat(stateDir)).mode & 0o777).toBe(0o700);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await rpcOf(first.url, first.token)('GenerateKey', {});
    await first.stop();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const source = await readFile(path, 'utf8');
    const document = JSON.parse(source);
    expect(source).toBe(`${JSON.stringify(document, null, 2)}\n`);
    expect(document).toMatchObject({ format_version: '1', active_key_id: expect.stringMatching(/^k-/) });
    const ids = document.keys.map((key: { id: string }) => key.id);
    expect(ids).toEqual([...ids].sort());
    for (const key of document.keys) {
      expect(Object.keys(key)).toEqual(['id', 'secret_hex', 'role', 'created_at']);
      expect(key.secret_hex).toMatch(/^[0-9a-f]{64}$/);
    }

    const second = await startServer({ args: ['--state-dir', stateDir] });
    try {
      expect((await rpcOf(second.url, first.token)('ListChannels', {})).status).toBe(200);
      expect(second.output().stderr).toContain(`"keyring_path":"${path}"`);
    } finally {
      await second.stop();
    }
  });

  test('a change of the file is picked up within the poll; a broken one keeps the old ring', async ({
    skip,
  }) => {
    memoryOnly(skip, KEYRING_FILE);
    const stateDir = await temporaryFolder();
    const [old, next] = [new TestKey(), new TestKey()];
    await writeKeyring(stateDir, old);
    const path = join(stateDir, 'keyring.json');
    const server = await startServer({ args: ['--state-dir', stateDir, '--keyring-poll', '50ms'] });
    try {
      const iat = Math.floor(Date.now() / 1000);
      const bearer = (key: TestKey) => key.sign({ sub: 'ops', typ: 'mgmt', iat, exp: iat + 600 });
      const status = async (key: TestKey) =>
        (await rpcOf(server.url, bearer(key))('ListChannels', {})).status;
      expect([await status(old), await status(next)]).toEqual([200, 401]);
      await writeFile(path, keyringDocument(next));
      await eventually('the new key verifies', async () => (await status(next)) === 200);
      expect(await status(old)).toBe(401);

      await writeFile(path, '{');
      await eventually('the broken file is noticed', () =>
        /could not be reloaded/.test(server.output().stderr),
      );
      expect(await status(next)).toBe(200);
      const failed = await rpcOf(server.url, bearer(next))('ReloadKeys', {});
      expect([failed.status, failed.code]).toEqual([500, 'MSG_INTERNAL']);
      expect(await status(next)).toBe(200);
      await writeFile(path, keyringDocument(old, next));
      await eventually('the repaired file is read', async () => (await status(old)) === 200);
    } finally {
      await server.stop();
    }
  });

  test('a change over a broken file is a 5xx that names it, and changes nothing', async ({ skip }) => {
    memoryOnly(skip, KEYRING_FILE);
    const stateDir = await temporaryFolder();
    const path = join(stateDir, 'keyring.json');
    const server = await startServer({ args: ['--state-dir', stateDir], env: { MSG_KEYRING_POLL: '0' } });
    try {
      const rpc = rpcOf(server.url, server.token);
      const listed = (await rpc('ListKeys', {})).body;
      for (const source of ['{"keys":"secret-text', '{}']) {
        await writeFile(path, source);
        for (const method of ['GenerateKey', 'RetireKey', 'ReloadKeys'] as const) {
          const { status, code, body } = await rpc(method, { id: listed['active_key_id'] });
          expect([method, status, code]).toEqual([method, 500, 'MSG_INTERNAL']);
          expect(body['msg']).toContain(`keyring ${path}: `);
          expect(body['msg']).not.toContain('secret-text');
        }
        expect(await readFile(path, 'utf8')).toBe(source);
      }
      expect((await rpc('ListKeys', {})).body).toEqual(listed);
    } finally {
      await server.stop();
    }
  });

  test.each(['/proc/x', '/proc/x/state'])(
    'a state directory %s that cannot be made fails the boot at once',
    async path => {
      const result = await runMsg(['serve', '--addr', '127.0.0.1:0', '--state-dir', path]);
      expect(result).toMatchObject({ code: 1, stdout: '' });
      expect(result.stderr).toContain(
        `error: MSG_INVALID_ARGUMENT: state directory ${path} cannot be made: ENOENT`,
      );
    },
  );

  test('nor can one where a file is', async () => {
    const file = join(await temporaryFolder(), 'file');
    await writeFile(file, '');
    for (const path of [file, join(file, 'below')]) {
      const { code, stderr } = await runMsg(['serve', '--addr', '127.0.0.1:0', '--state-dir', path]);
      expect(code).toBe(1);
      expect(stderr).toContain(`state directory ${path} cannot be made: `);
    }
  });

  test('without polling, SIGHUP and ReloadKeys read the file again', async ({ skip }) => {
    memoryOnly(skip, KEYRING_FILE);
    const stateDir = await temporaryFolder();
    const [one, two, three] = [new TestKey(), new TestKey(), new TestKey()];
    await writeKeyring(stateDir, one);
    const path = join(stateDir, 'keyring.json');
    const server = await startServer({ args: ['--state-dir', stateDir], env: { MSG_KEYRING_POLL: '0' } });
    try {
      const activeKey = async () => (await manifestOf(server.url)).active_key_id;
      await writeFile(path, keyringDocument(two, one));
      await utimes(path, new Date(), new Date());
      server.kill('SIGHUP');
      await eventually('SIGHUP', async () => (await activeKey()) === two.kid);
      await writeFile(path, keyringDocument(three, one));
      expect(
        (await rpcOf(server.url, one.sign({ typ: 'mgmt', iat: 0, exp: 4e9 }))('ReloadKeys', {})).status,
      ).toBe(200);
      expect(await activeKey()).toBe(three.kid);
    } finally {
      await server.stop();
    }
  });

  const QUOTED = 'what-is-stored-and-no-error-quotes';
  test.each([
    '{',
    `{"${QUOTED}`,
    `{"format_version":"${QUOTED}","active_key_id":"","keys":[]}`,
    '{"keys":[{"id":"a"}]}',
    `{"active_key_id":"a","keys":[{"id":"a","role":"active","created_at":"${QUOTED}"}]}`,
    `{"active_key_id":"a","keys":[{"id":"a","role":"active","created_at":"2026-01-02T03:04:05Z","alg":"${QUOTED}"}]}`,
    '{}',
    '{"format_version":"1","active_key_id":"","keys":[]}',
    `{"format_version":"1","active_key_id":"","keys":[{"id":"${QUOTED}","role":"retired"}]}`,
  ])('a file holding %s fails the boot, and is named with what to do', async source => {
    const stateDir = await temporaryFolder();
    await writeFile(join(stateDir, 'keyring.json'), source);
    const result = await runMsg(['serve', '--addr', '127.0.0.1:0', '--state-dir', stateDir]);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toContain(
      `error: MSG_INVALID_ARGUMENT: keyring ${join(stateDir, 'keyring.json')}: `,
    );
    expect(result.stderr).toContain('restore it from a backup, or remove it');
    expect(result.stderr).not.toContain(QUOTED);
    expect(await readFile(join(stateDir, 'keyring.json'), 'utf8')).toBe(source);
  });
});
