import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CliRunOptions, runCli } from '../support/cli-io.ts';
import { approveLogin, denyLogin } from '../support/device-approval.ts';
import { errorLine } from '../support/error-lines.ts';
import { temporaryFolder } from '../support/folders.ts';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  CONFIDENTIAL_CLIENT,
  type IdentityProvider,
  startIdentityProvider,
} from '../support/identity-provider.ts';

let provider: IdentityProvider;
beforeAll(async () => {
  provider = await startIdentityProvider();
});
afterAll(() => provider.stop());

const completeAddress = (text: string): string | undefined => /^or open (\S+)\n/m.exec(text)?.[1];

/** Runs a login and does something with the address it prints. */
async function login(
  args: readonly string[],
  options: CliRunOptions,
  onAddress: (address: string) => Promise<void> = async () => {},
) {
  let visited: Promise<void> = Promise.resolve();
  const result = await runCli(['login', 'oidc', ...args], {
    ...options,
    onError(text) {
      const address = completeAddress(text);
      if (address !== undefined) visited = onAddress(address);
    },
  });
  await visited;
  return result;
}

describe('login oidc', () => {
  test('shows address and code, waits for the approval, keeps the ID token for its owner alone', async () => {
    const home = await temporaryFolder();
    const args = ['--issuer', provider.issuer, '--client-id', CLIENT_ID];
    const result = await login(args, { home }, address => approveLogin(address, 'ada'));
    expect(result.stderr).toMatch(
      /^To log in, open http:\S+\/device and enter the code \S+\nor open http:\S+\n$/,
    );
    const path = join(home, '.msg', 'credentials');
    expect(result.envelope).toMatchObject({
      type: 'msg.login.oidc',
      payload: { path, subject: 'ada', expires_at: expect.stringMatching(/Z$/) },
    });
    expect(result.code).toBe(0);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(home, '.msg'))).mode & 0o777).toBe(0o700);
    const token = (await readFile(path, 'utf8')).replace(/\n$/, '');
    expect(result.stdout).not.toContain(token);
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    expect(claims).toMatchObject({ iss: provider.issuer, aud: CLIENT_ID, groups: ['msg-admins'] });
  });

  test('a confidential client, all of it in the environment', async () => {
    const env = {
      MSG_OIDC_ISSUER: provider.issuer,
      MSG_OIDC_CLIENT_ID: CONFIDENTIAL_CLIENT,
      MSG_OIDC_CLIENT_SECRET: CLIENT_SECRET,
    };
    const home = await temporaryFolder();
    const result = await login([], { home, env }, address => approveLogin(address, 'rob'));
    expect(result).toMatchObject({ code: 0, envelope: { payload: { subject: 'rob' } } });
    const wrong = await login([], { home, env: { ...env, MSG_OIDC_CLIENT_SECRET: 'wrong' } });
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(errorLine(wrong.stderr)).toBe('error: MSG_AUTH_DENIED: the login was refused: invalid_client');
  });

  test('a login that is denied leaves nothing behind', async () => {
    const home = await temporaryFolder();
    const args = ['--issuer', provider.issuer, '--client-id', CLIENT_ID];
    const result = await login(args, { home }, denyLogin);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(
      /\nerror: MSG_AUTH_DENIED: the login was denied\n {2}try: .*msg login oidc.*\n {2}see: .*\n$/,
    );
    await expect(stat(join(home, '.msg'))).rejects.toThrow();
  });

  test('the timeout bounds the whole flow', async () => {
    const args = ['--issuer', provider.issuer, '--client-id', CLIENT_ID, '--timeout', '300ms'];
    const result = await login(args, {});
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(
      /\nerror: MSG_AUTH_EXPIRED: the login was not approved in time\n {2}try: .*--timeout.*\n {2}see: .*\n$/,
    );
  });

  test.each([
    [['--client-id', 'x'], 'MSG_INVALID_ARGUMENT: --issuer or MSG_OIDC_ISSUER is required'],
    [['--issuer', 'https://a'], 'MSG_INVALID_ARGUMENT: --client-id or MSG_OIDC_CLIENT_ID is required'],
    [['--issuer', 'http://idp.example.com', '--client-id', 'x'], 'MSG_INVALID_ARGUMENT: --issuer must be'],
    [['--issuer', 'http://127.0.0.1:1', '--client-id', 'x'], 'MSG_BROKER_NOT_READY: no answer from'],
    [
      ['--issuer', 'https://a', '--client-id', 'x', '--timeout', '0s'],
      'MSG_INVALID_ARGUMENT: --timeout must be a duration above 0',
    ],
  ])('%j fails', async (args, problem) => {
    const result = await login(args, {});
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toContain(`error: ${problem}`);
  });

  test('an address without a provider behind it is told apart', async () => {
    provider.setDown(true);
    const result = await login(['--issuer', provider.issuer, '--client-id', 'x'], {}).finally(() =>
      provider.setDown(false),
    );
    expect(result.stderr).toMatch(/^error: MSG_INVALID_ARGUMENT: issuer: the login does not work with /);
  });
});

describe('the stored token', () => {
  const bearers: (string | null)[] = [];
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    bearers.push(new Headers(init?.headers).get('authorization'));
    return Response.json({ channels: [] });
  };

  test('is used where neither flag nor variable gives one, and forgotten by logout', async () => {
    const home = await temporaryFolder();
    const path = join(home, '.msg', 'credentials');
    await mkdir(join(home, '.msg'));
    await writeFile(path, 'stored\n');
    await runCli(['channels', 'list'], { home, fetch });
    await runCli(['channels', 'list'], { home, fetch, env: { MSG_TOKEN: 'variable' } });
    await runCli(['channels', 'list', '--token', 'flag'], { home, fetch, env: { MSG_TOKEN: 'variable' } });
    const first = await runCli(['logout'], { home });
    expect(first).toMatchObject({
      code: 0,
      envelope: { type: 'msg.logout', payload: { removed: true, path } },
    });
    await runCli(['channels', 'list'], { home, fetch });
    expect(bearers).toEqual(['Bearer stored', 'Bearer variable', 'Bearer flag', null]);
    const second = await runCli(['logout'], { home });
    expect(second).toMatchObject({ code: 0, stderr: '', envelope: { payload: { removed: false } } });
  });

  test('that cannot be read is said, not passed over', async () => {
    const home = await temporaryFolder();
    await mkdir(join(home, '.msg', 'credentials'), { recursive: true });
    const result = await runCli(['channels', 'list'], { home, fetch });
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(
      /^error: MSG_INVALID_ARGUMENT: .*credentials cannot be read: it is a directory\n/,
    );
  });
});
