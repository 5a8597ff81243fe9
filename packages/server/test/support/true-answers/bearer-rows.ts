import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { CliRun } from '../cli-io.ts';
import { approveLogin } from '../device-approval.ts';
import { temporaryFolder } from '../folders.ts';
import { CLIENT_ID } from '../identity-provider.ts';
import type { Claim } from './row.ts';
import { claimsOf, type Stage } from './stage.ts';

/** A home directory in which somebody has logged in. */
async function loggedIn(stage: Stage): Promise<{ readonly home: string; readonly run: CliRun }> {
  const home = await temporaryFolder();
  const visits: Promise<void>[] = [];
  const args = ['login', 'oidc', '--issuer', stage.provider.issuer, '--client-id', CLIENT_ID];
  const run = await stage.succeed(args, {
    home,
    onError(text) {
      const address = /^or open (\S+)\n/m.exec(text)?.[1];
      if (address !== undefined) visits.push(approveLogin(address, 'ada'));
    },
  });
  await Promise.all(visits);
  return { home, run };
}

/** A command with what a login stored as its only bearer. */
const asLoggedIn = (stage: Stage, home: string): Promise<CliRun> =>
  stage.command(['channels', 'list'], { home, env: { MSG_SERVER: stage.server.url } });

/** Commands about the caller's bearer. */
export const bearerRows: Readonly<Record<string, Claim>> = {
  async 'tokens inspect'(stage) {
    const [mine, other] = [await stage.created('ann'), await stage.created()];
    const token = mine.access_token;
    const channels = ['--channel', mine.name, '--channel', other.name];
    const { envelope } = await stage.succeed(['tokens', 'inspect', token, ...channels]);
    return async () => {
      expect(envelope?.payload).toMatchObject({
        claims: { sub: 'ann', exp: mine.access_expires_unix },
        expired: false,
        rights: [
          { channel: mine.name, subscribe: { allowed: true }, publish: { allowed: true } },
          { channel: other.name, subscribe: { allowed: false }, publish: { allowed: false } },
        ],
      });
      expect(await stage.subscribe(mine.name, token)).toBe('subscribed');
      expect(await stage.publish(mine.name, token)).toBe('ok');
      expect(await stage.subscribe(other.name, token)).toBe(103);
      expect(await stage.publish(other.name, token)).toBe(103);
      await stage.client().call('RevokeToken', { token_id: String(claimsOf(token)['jti']) });
      expect(await stage.subscribe(mine.name, token)).not.toBe('subscribed');
    };
  },

  async 'login oidc'(stage) {
    const { home, run } = await loggedIn(stage);
    return async () => {
      const path = join(home, '.msg', 'credentials');
      const token = (await readFile(path, 'utf8')).trim();
      const { sub, exp } = claimsOf(token);
      expect(run.envelope?.payload).toMatchObject({ path, subject: sub });
      expect(Date.parse(String(run.envelope?.payload['expires_at']))).toBe(Number(exp) * 1000);
      expect(await stage.accepts(token)).toBe(true);
      expect((await asLoggedIn(stage, home)).code).toBe(0);
    };
  },

  async logout(stage) {
    const { home } = await loggedIn(stage);
    expect((await asLoggedIn(stage, home)).code).toBe(0);
    const { envelope } = await stage.succeed(['logout'], { home });
    return async () => {
      const path = join(home, '.msg', 'credentials');
      expect(envelope?.payload).toEqual({ removed: true, path });
      await expect(stat(path)).rejects.toThrow('ENOENT');
      expect((await asLoggedIn(stage, home)).stderr).toContain('MSG_AUTH_DENIED');
    };
  },
};
