import { spawn } from 'node:child_process';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cleanEnv, eventually, MSG_BIN, runMsg } from '@msg/testkit';
import { describe, expect, test } from 'vitest';
import { approveLogin } from '../support/device-approval.ts';
import { errorLine } from '../support/error-lines.ts';
import { temporaryFolder } from '../support/folders.ts';
import { CLIENT_ID, startIdentityProvider } from '../support/identity-provider.ts';
import { keyringDocument, TestKey, writeKeyring } from '../support/minting.ts';
import { manifestOf, rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';
import { KEYRING_FILE, memoryOnly } from '../support/store-of-run.ts';

describe('a configuration file', () => {
  test('settles what flags and variables leave open; manifest and log name it', async ({ skip }) => {
    memoryOnly(skip, KEYRING_FILE);
    const folder = await temporaryFolder();
    const path = join(folder, 'msg.yaml');
    await writeFile(
      path,
      `auth: { state_dir: keys, mgmt_subject: from-file, mgmt_ttl: 2h, revocation: none }
channels: [{ pattern: "public:cfg.**", history_size: 0 }]
rate_limits: { publish: { rate: 1, per: 1h } }
manager: { sweep_interval: 50ms }
region: eu
`,
    );
    const server = await startServer({ args: ['-c', path], env: { MSG_MGMT_SUBJECT: 'from-env' } });
    try {
      expect(server.output().stderr).toMatch(/"msg":"msg serve: loaded config"/);
      expect(server.output().stderr).toContain(`"path":"${path}"`);
      expect(server.output().stderr).toContain('"region":"eu"');
      expect(await manifestOf(server.url)).toMatchObject({
        config_source: path,
        region: 'eu',
        revocation_store_enabled: false,
        rate_limits: { publish: { rate: 1, per: '1h0m0s' } },
      });
      const claims = JSON.parse(Buffer.from(server.token.split('.')[1] ?? '', 'base64url').toString());
      expect(claims).toMatchObject({ sub: 'from-env' });
      expect(claims.exp - claims.iat).toBe(7200);
      expect((await stat(join(folder, 'keys', 'keyring.json'))).mode & 0o777).toBe(0o600);
      const rpc = rpcOf(server.url, server.token);
      expect((await rpc('RevokeUser', { user_id: 'u' })).code).toBe('MSG_INVALID_ARGUMENT');
      await rpc('OpenPublic', { name: 'public:cfg.room' });
      const publish = () => rpc('Publish', { name: 'public:cfg.room', data: 'eA==' });
      expect((await publish()).body).toEqual({ offset: 0, epoch: '', suppressed: false });
      expect(await publish()).toMatchObject({ status: 429, code: 'MSG_RATE_LIMITED' });
    } finally {
      await server.stop();
    }
  });

  test.each([
    ['server:\n  adr: ":0"\n', 'key "server.adr" does not exist; did you mean server.addr? (msg.yaml:2)'],
    [
      'auth:\n  mgmt_ttl: 1 day\n',
      'auth.mgmt_ttl must be a duration such as 1h30m; got "1 day" (msg.yaml:2)',
    ],
    [
      'rate_limits:\n  publish:\n    rate: 5\n',
      'rate_limits.publish.per is required when rate is set (msg.yaml:3)',
    ],
  ])('%j fails the boot and names the key', async (text, problem) => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, 'msg.yaml'), text);
    const result = await runMsg(['serve', '--addr', '127.0.0.1:0'], { cwd, env: { MSG_CONFIG: 'msg.yaml' } });
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(errorLine(result.stderr)).toBe(`error: MSG_INVALID_ARGUMENT: ${problem}`);
  });
});

describe('moving and rotating keys', () => {
  test('an export opens the same doors elsewhere', async ({ skip }) => {
    memoryOnly(skip, KEYRING_FILE);
    const [here, there] = [join(await temporaryFolder(), 'a'), join(await temporaryFolder(), 'b')];
    const first = await startServer({ args: ['--state-dir', here] });
    await first.stop();
    const exported = await runMsg(['keys', 'export', '--state-dir', here]);
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    const snapshot = JSON.parse(exported.stdout);
    expect(snapshot).toMatchObject({ format_version: '1', active_key_id: expect.stringMatching(/^k-/) });
    const imported = await runMsg(['keys', 'import', '--state-dir', there], { stdin: exported.stdout });
    expect(JSON.parse(imported.stdout)).toMatchObject({
      code: 'OK',
      type: 'msg.keys.imported',
      payload: { active_key_id: snapshot.active_key_id, keys: 1, added: 1, updated: 0 },
    });
    const second = await startServer({ args: ['--state-dir', there] });
    try {
      expect((await rpcOf(second.url, first.token)('ListChannels', {})).status).toBe(200);
    } finally {
      await second.stop();
    }
    const out = join(there, 'ring.json');
    await writeFile(out, '', { mode: 0o644 });
    expect(await runMsg(['keys', 'export', '--state-dir', there, '-o', out])).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect((await stat(out)).mode & 0o777).toBe(0o600);
    expect(await readFile(out, 'utf8')).toBe(exported.stdout);
  });

  test('two active keys in a snapshot change nothing', async () => {
    const folder = await temporaryFolder();
    const [a, b] = [new TestKey(), new TestKey()];
    await writeKeyring(folder, a);
    const before = await readFile(join(folder, 'keyring.json'), 'utf8');
    const file = join(folder, 'snapshot.json');
    await writeFile(file, keyringDocument(a, b).replace('verify-only', 'active'));
    const result = await runMsg(['keys', 'import', file, '--state-dir', folder]);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(/^error: MSG_INVALID_ARGUMENT: keyring: more than one active key$/m);
    expect(await readFile(join(folder, 'keyring.json'), 'utf8')).toBe(before);
  });

  test('the source is a flag, never the environment', async () => {
    const env = { MSG_STATE_DIR: await temporaryFolder() };
    for (const command of ['export', 'import']) {
      const result = await runMsg(['keys', command], { env });
      expect(result).toMatchObject({ code: 1, stdout: '' });
      expect(result.stderr).toMatch(/^error: MSG_INVALID_ARGUMENT: a keyring source is missing/);
    }
  });

  test('a retired key is gone at the peers too; a dead peer is reported and changes nothing', async () => {
    const folder = await temporaryFolder();
    const [active, old] = [new TestKey(), new TestKey()];
    await writeKeyring(folder, active, old);
    const args = ['--state-dir', folder, '--keyring-poll', '0'];
    const [one, two] = await Promise.all([startServer({ args }), startServer({ args })]);
    try {
      const bearer = old.sign({ sub: 'ops', typ: 'mgmt', iat: 0, exp: 4e9 });
      expect((await rpcOf(two.url, bearer)('ListChannels', {})).status).toBe(200);
      const command = ['keys', 'retire', old.kid, '--notify', 'http://127.0.0.1:1', '--notify', two.url];
      const result = await runMsg(command, { env: { MSG_SERVER: one.url, MSG_TOKEN: one.token } });
      expect(result).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(result.stdout).payload).toEqual({
        id: old.kid,
        notified: [
          { url: 'http://127.0.0.1:1', ok: false, error: 'no answer' },
          { url: two.url, ok: true, status: 200 },
        ],
      });
      expect((await rpcOf(two.url, bearer)('ListChannels', {})).status).toBe(401);
    } finally {
      await Promise.all([one.stop(), two.stop()]);
    }
  });
});

describe('operators of an identity provider', () => {
  test('log in with a device code and may what their groups may', async () => {
    const provider = await startIdentityProvider();
    const folder = await temporaryFolder();
    const path = join(folder, 'msg.yaml');
    await writeFile(
      path,
      `auth:
  oidc:
    issuer: ${provider.issuer}
    audience: ${CLIENT_ID}
    subject_claim: email
    grants: [{ if_group: msg-admins, scope: "public:**", verbs: [manage] }]
`,
    );
    const server = await startServer({ args: ['--config', path] });
    try {
      const home = join(folder, 'home');
      await mkdir(home);
      const env = { HOME: home, MSG_SERVER: server.url };
      // The service's own process runs the flow; only the person at the browser is played.
      const login = runLogin(['--issuer', provider.issuer, '--client-id', CLIENT_ID], env, 'ada');
      expect(await login).toMatchObject({ code: 0, type: 'msg.login.oidc' });
      expect((await stat(join(home, '.msg', 'credentials'))).mode & 0o777).toBe(0o600);

      const opened = await runMsg(['channels', 'open', 'public:ops.room'], { env });
      expect(opened).toMatchObject({ code: 0, stderr: '' });
      const published = await runMsg(['publish', 'public:ops.room', '-d', 'x'], { env });
      expect(published.stderr).toMatch(/^error: MSG_AUTH_DENIED: the bearer does not grant publish/);
      const own = await runMsg(['keys', 'list'], { env: { ...env, MSG_TOKEN: server.token } });
      expect(own.code).toBe(0);
      await eventually('the log', () =>
        server.output().stderr.includes('"bearer_subject":"ada@example.com"'),
      );

      expect((await runMsg(['logout'], { env })).code).toBe(0);
      const after = await runMsg(['channels', 'list'], { env });
      expect(errorLine(after.stderr)).toBe('error: MSG_AUTH_DENIED: missing bearer token');
    } finally {
      await server.stop();
      await provider.stop();
    }
  });

  test('a provider that does not answer fails the boot', async () => {
    const path = join(await temporaryFolder(), 'msg.yaml');
    await writeFile(path, 'auth: { oidc: { issuer: "http://127.0.0.1:1", audience: a, allow_all: true } }\n');
    const result = await runMsg(['serve', '--addr', '127.0.0.1:0', '-c', path]);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(/error: MSG_INVALID_ARGUMENT: auth\.oidc\.issuer: discovery failed/);
  });
});

/** Runs the login of the binary and approves it as that user. */
async function runLogin(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  user: string,
): Promise<{ readonly code: number | null; readonly type: unknown }> {
  const child = spawn(process.execPath, [MSG_BIN, 'login', 'oidc', ...args], { env: cleanEnv(env) });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<number | null>(resolve => child.on('close', resolve));
  const address = () => /^or open (\S+)\n/m.exec(stderr)?.[1];
  await eventually('the address', () => address() !== undefined);
  await approveLogin(address() ?? '', user);
  const code = await ended;
  return { code, type: JSON.parse(stdout).type };
}
