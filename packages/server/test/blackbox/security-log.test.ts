import { spawn } from 'node:child_process';
import { open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cleanEnv, eventually, MSG_BIN, type MsgServer, RawClient, runMsg } from '@msg/testkit';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { errorLine } from '../support/error-lines.ts';
import { temporaryFolder } from '../support/folders.ts';
import { rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';
import { closeClients, trySubscribe } from '../support/stock-client.ts';
import { KEYRING_FILE, memoryOnly } from '../support/store-of-run.ts';

afterEach(closeClients);

type Rpc = ReturnType<typeof rpcOf>;

async function serve(stateDir: string): Promise<MsgServer> {
  const server = await startServer({ args: ['--state-dir', stateDir] });
  onTestFinished(() => server.stop());
  return server;
}

const idOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti;

/** A private channel, made again where a restart has forgotten it. */
async function create(rpc: Rpc, name: string, subject = 'u-1') {
  const { body } = await rpc('CreatePrivate', { name, subject, ttlSeconds: 3600 });
  return { name, access: String(body['access_token']), refresh: String(body['refresh_token']) };
}

async function management(rpc: Rpc, subject: string): Promise<string> {
  return String((await rpc('IssueMgmt', { subject })).body['mgmt_token']);
}

/** What a management bearer gets. */
async function bearerOutcome(server: MsgServer, token: string): Promise<string> {
  const { status, code, body } = await rpcOf(server.url, token)('ListKeys', {});
  return status === 200 ? 'ok' : `${status} ${code} ${String(body['msg'])}`;
}

const REVOKED = '401 MSG_AUTH_DENIED the token was revoked';

describe('a restart does not forgive', () => {
  test('revoked tokens, users, families and management bearers, redeemed refresh tokens', {
    timeout: 120_000,
  }, async () => {
    const stateDir = await temporaryFolder();
    const first = await serve(stateDir);
    const ops = rpcOf(first.url, first.token);
    const anyone = rpcOf(first.url);
    const names = ['byid', 'byuser', 'family', 'used', 'good'].map(part => `private:shop.${part}.1`);
    const [byId, byUser, family, used, good] = await Promise.all(
      names.map((name, index) => create(ops, name, `u-${index}`)),
    );
    if (!byId || !byUser || !family || !used || !good) throw new Error('five channels');
    const [leaked, left, staying] = await Promise.all(
      ['leaked', 'left', 'staying'].map(sub => management(ops, sub)),
    );
    if (!leaked || !left || !staying) throw new Error('three bearers');

    expect((await ops('RevokeToken', { token_id: idOf(byId.access) })).status).toBe(200);
    expect((await ops('RevokeToken', { token_id: idOf(leaked), reason: 'in a log' })).status).toBe(200);
    const cli = await runMsg([
      'tokens',
      'revoke-user',
      'left',
      '--server',
      first.url,
      '--token',
      first.token,
    ]);
    expect(cli).toMatchObject({ code: 0, stderr: '' });
    expect((await ops('RevokeUser', { user_id: 'u-1' })).status).toBe(200);
    const next = (await anyone('RefreshToken', { refresh_token: used.refresh })).body['refresh_token'];
    const youngest = (await anyone('RefreshToken', { refresh_token: family.refresh })).body['refresh_token'];
    expect((await anyone('RefreshToken', { refresh_token: family.refresh })).code).toBe('MSG_AUTH_DENIED');

    const check = async (server: MsgServer) => {
      expect(await bearerOutcome(server, leaked)).toBe(REVOKED);
      expect(await bearerOutcome(server, left)).toBe(REVOKED);
      expect(await bearerOutcome(server, staying)).toBe('ok');
      for (const [index, name] of names.entries())
        await create(rpcOf(server.url, staying), name, `u-${index}`);
      const subscribe = (name: string, connect: string) =>
        trySubscribe(server.websocketUrl, name, { connect });
      expect(await subscribe(byId.name, byId.access)).toBe(103);
      expect(await subscribe(byUser.name, byUser.access)).toBe(103);
      expect(await subscribe(good.name, good.access)).toBe('subscribed');
      const refresh = async (refresh_token: unknown) => {
        const { status, code } = await rpcOf(server.url)('RefreshToken', { refresh_token });
        return code ?? status;
      };
      expect(await refresh(youngest)).toBe('MSG_AUTH_DENIED');
      expect(await refresh(byUser.refresh)).toBe('MSG_AUTH_DENIED');
      return refresh;
    };
    await check(first);
    first.kill('SIGKILL');
    await first.exited();

    const second = await serve(stateDir);
    const refresh = await check(second);
    // Used before the restart: it is not taken again, and its family is dead from then on.
    expect(await refresh(used.refresh)).toBe('MSG_AUTH_DENIED');
    expect(await refresh(next)).toBe('MSG_AUTH_DENIED');
    await second.stop();
    const third = await serve(stateDir);
    await check(third);
    expect(await (async () => (await rpcOf(third.url)('RefreshToken', { refresh_token: next })).code)()).toBe(
      'MSG_AUTH_DENIED',
    );
  });

  test('the file is private, and one that is broken refuses the boot', async ({ skip }) => {
    memoryOnly(skip, KEYRING_FILE);
    const stateDir = await temporaryFolder();
    const path = join(stateDir, 'security.log');
    const first = await serve(stateDir);
    expect((await rpcOf(first.url, first.token)('RevokeToken', { token_id: 'abc' })).status).toBe(200);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await first.stop();
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('"abc"', '"abd"'));
    const { code, stderr } = await runMsg(['serve', '--addr', '127.0.0.1:0', '--state-dir', stateDir]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `error: MSG_INVALID_ARGUMENT: security log ${path}: line 1 cannot be read; restore it`,
    );
  });
});

describe('a management bearer', () => {
  test('may revoke itself: that call is accepted, and no other', async () => {
    const server = await serve(await temporaryFolder());
    const token = await management(rpcOf(server.url, server.token), 'short');
    const { status } = await rpcOf(server.url, token)('RevokeToken', { token_id: idOf(token) });
    expect(status).toBe(200);
    expect(await bearerOutcome(server, token)).toBe(REVOKED);
    expect(await bearerOutcome(server, server.token)).toBe('ok');
    const again = await runMsg([
      'tokens',
      'revoke',
      idOf(server.token),
      '--server',
      server.url,
      '--token',
      token,
    ]);
    expect([again.code, errorLine(again.stderr)]).toEqual([
      1,
      'error: MSG_AUTH_DENIED: the token was revoked',
    ]);
  });

  test('issued after its user was revoked is good', async () => {
    const server = await serve(await temporaryFolder());
    const ops = rpcOf(server.url, server.token);
    const before = await management(ops, 'ann');
    await ops('RevokeUser', { user_id: 'ann' });
    expect(await bearerOutcome(server, before)).toBe(REVOKED);
    expect(await bearerOutcome(server, await management(ops, 'ann'))).toBe('ok');
  });
});

/** Starts a service whose state directory is on a file system of its own, of 256 KiB; `undefined` where that is not allowed. */
async function serveOnSmallDisk(folder: string) {
  const script = `mount -t tmpfs -o size=256k tmpfs "$0" && exec "$@"`;
  const args = [process.execPath, MSG_BIN, 'serve', '--addr', '127.0.0.1:0', '--state-dir', folder];
  const child = spawn('unshare', ['-Urm', 'sh', '-c', script, folder, ...args], {
    env: cleanEnv(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<void>(resolve => {
    child.on('error', () => resolve());
    child.on('close', () => resolve());
  });
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const listening = () => /"?addr"?[:=] ?"?127\.0\.0\.1:(\d+)/.exec(stderr);
  await eventually('it listens, or ends', () => isOver || listening() !== null);
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const port = listening()?.[1];
  if (port === undefined) return undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    token: /bootstrap mgmt token[^\n]*\n([^\n]+)\n/.exec(stderr)?.[1] ?? '',
    /** The state directory as the service sees it. */
    folder: `/proc/${child.pid}/root${folder}`,
  };
}

test('a full disk: calls fail with a code and did nothing; when there is room again they work', async ({
  skip,
}) => {
  memoryOnly(skip, KEYRING_FILE);
  const server = await serveOnSmallDisk(await temporaryFolder());
  if (server === undefined) return skip('this machine allows no file system of its own to a test');
  const rpc = rpcOf(server.url, server.token);
  const { access, refresh, name } = await create(rpc, 'private:shop.full.1');
  const victim = await management(rpc, 'victim');
  const filler = await open(join(server.folder, 'filler'), 'w');
  for (let full = false; !full; ) {
    await filler.write(Buffer.alloc(4096)).catch((error: NodeJS.ErrnoException) => {
      full = error.code === 'ENOSPC';
      if (!full) throw error;
    });
  }
  await filler.close();
  // The last page of the log itself may have room for some lines.
  const long = 'x'.repeat(4000);
  const failures: string[] = [];
  for (let serial = 0; serial < 3; serial++) {
    const { status, code, body } = await rpc('RevokeToken', { token_id: `${serial}`, reason: long });
    if (status !== 200)
      failures.push(`${status} ${code} ${String(body['msg']).replace(/.*security\.log/, '')}`);
  }
  expect(failures.length).toBeGreaterThan(0);
  const refused =
    '500 MSG_INTERNAL : ENOSPC: no space left on device, write; nothing was recorded, so nothing was done';
  expect(new Set(failures)).toEqual(new Set([refused]));
  const revoked = await rpc('RevokeToken', { token_id: idOf(victim), reason: long });
  expect([revoked.status, revoked.code]).toEqual([500, 'MSG_INTERNAL']);
  expect((await rpcOf(server.url, victim)('ListKeys', {})).status).toBe(200);
  await rm(join(server.folder, 'filler'));

  expect((await rpc('RevokeToken', { token_id: idOf(victim), reason: long })).status).toBe(200);
  expect((await rpcOf(server.url, victim)('ListKeys', {})).status).toBe(401);
  expect((await rpcOf(server.url)('RefreshToken', { refresh_token: refresh })).status).toBe(200);
  expect((await rpcOf(server.url)('RefreshToken', { refresh_token: refresh })).code).toBe('MSG_AUTH_DENIED');
  const client = await RawClient.connected(`${server.url.replace('http', 'ws')}/connection/websocket`, {
    connect: { token: access },
  });
  expect((await client.request({ subscribe: { channel: name } })).error).toBeNull();
  await client.close();
});
