import { execFileSync } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, freePort, startMsg } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { COMMANDS } from '#src/cli/program.ts';
import type { CliRun, CliRunOptions } from '../cli-io.ts';
import { approveLogin } from '../device-approval.ts';
import { temporaryFolder } from '../folders.ts';
import { CLIENT_ID } from '../identity-provider.ts';
import { keyringDocument, TestKey } from '../minting.ts';
import { manifestOf, rpcOf } from '../rpc.ts';
import { bearerOf, bringKey } from './key-rows.ts';
import type { Claim } from './row.ts';
import { claimsOf, SINK, type Stage } from './stage.ts';

/** Runs a command to its success. */
async function succeed(stage: Stage, args: readonly string[], options: CliRunOptions = {}): Promise<CliRun> {
  const run = await stage.command(args, options);
  if (run.code !== 0) throw new Error(`msg ${args.join(' ')} ended with ${run.code}: ${run.stderr}`);
  return run;
}

/** A home directory in which somebody has logged in. */
async function loggedIn(stage: Stage): Promise<{ readonly home: string; readonly run: CliRun }> {
  const home = await temporaryFolder();
  const visits: Promise<void>[] = [];
  const args = ['login', 'oidc', '--issuer', stage.provider.issuer, '--client-id', CLIENT_ID];
  const run = await succeed(stage, args, {
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

/** Commands that call no method. */
export const localCommandRows: Readonly<Record<string, Claim>> = {
  async serve() {
    const state = join(await temporaryFolder(), 'state');
    const server = await startMsg({ args: ['--json', '--state-dir', state] });
    onTestFinished(() => server.stop());
    const { url } = server;
    await eventually('the manifest is printed', () => server.output().stdout.endsWith('}\n'));
    return async () => {
      expect(JSON.parse(server.output().stdout).payload).toEqual(await manifestOf(url));
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect((await rpcOf(url, server.token)('ListChannels', {})).status).toBe(200);
      server.kill('SIGTERM');
      expect(await server.exited()).toEqual({ code: 0, signal: null });
      await expect(fetch(url)).rejects.toThrow();
    };
  },

  async subscribe(stage) {
    const name = await stage.opened();
    const interrupt = new AbortController();
    let output = '';
    const run = stage.command(['subscribe', name], {
      env: { MSG_SERVER: stage.server.url },
      interrupted: interrupt.signal,
      onOutput: text => {
        output += text;
      },
    });
    await stage.listening(name, 1);
    const listener = await stage.listener(name);
    const ack = await stage.client().call('Publish', { name, data: Buffer.from('{"n":1}') });
    await eventually('a line', () => output.endsWith('\n'));
    interrupt.abort();
    const { code, stdout } = await run;
    return async () => {
      expect({ code, line: JSON.parse(stdout) }).toEqual({
        code: 0,
        line: { channel: name, offset: ack.offset, data: { n: 1 } },
      });
      await eventually('another listener got it', () => listener.publications.length === 1);
      expect(listener.publications[0]).toMatchObject({ offset: ack.offset, data: { n: 1 } });
      listener.leave();
      await stage.listening(name, 0);
    };
  },

  async errors(stage) {
    const { envelope: all } = await succeed(stage, ['errors']);
    const { envelope: one } = await succeed(stage, ['errors', 'channel_not_found']);
    const answer = await stage.rpc('GetChannel', { name: stage.fresh() });
    return async () => {
      expect(all?.payload).toMatchObject({
        errors: expect.arrayContaining([expect.objectContaining({ code: answer.code })]),
      });
      expect(one?.payload).toMatchObject({ code: answer.code, status: answer.status, retryable: false });
    };
  },

  async health(stage) {
    const { host } = new URL(stage.server.url);
    const { envelope } = await succeed(stage, ['health', '--addr', host]);
    const unused = `127.0.0.1:${await freePort()}`;
    const { code, stderr } = await stage.command(['health', '--addr', unused]);
    return async () => {
      expect(envelope?.payload).toMatchObject({ server: stage.server.url, ok: true });
      expect((await fetch(`${stage.server.url}/healthz`)).status).toBe(200);
      expect(code).toBe(1);
      expect(stderr).toContain('MSG_BROKER_NOT_READY');
      await expect(fetch(`http://${unused}/healthz`)).rejects.toThrow();
    };
  },

  async 'tokens inspect'(stage) {
    const [mine, other] = [await stage.created('ann'), await stage.created()];
    const token = mine.access_token;
    const channels = ['--channel', mine.name, '--channel', other.name];
    const { envelope } = await succeed(stage, ['tokens', 'inspect', token, ...channels]);
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

  async 'keys export'(stage) {
    const out = join(await temporaryFolder(), 'ring.json');
    await succeed(stage, ['keys', 'export', ...stage.keyring, '--out', out]);
    return async () => {
      expect((await stat(out)).mode & 0o777).toBe(0o600);
      const ring = JSON.parse(await readFile(out, 'utf8'));
      const { keys } = await stage.client().call('ListKeys', {});
      const live = keys.filter(({ role }) => role !== 'retired').map(({ id }) => id);
      const exported: { id: string; role: string; secret_hex: string }[] = ring.keys;
      expect(
        exported
          .filter(({ role }) => role !== 'retired')
          .map(({ id }) => id)
          .toSorted(),
      ).toEqual(live.toSorted());
      const active = exported.find(({ id }) => id === ring.active_key_id);
      const key = new TestKey(active?.id, Buffer.from(active?.secret_hex ?? '', 'hex'));
      expect(await stage.accepts(bearerOf(key))).toBe(true);
    };
  },

  async 'keys import'(stage) {
    const key = new TestKey();
    const run = await succeed(stage, ['keys', 'import', await bringKey(stage, key), ...stage.keyring]);
    return async () => {
      expect(run.envelope?.payload).toMatchObject({ active_key_id: stage.key.kid, added: 1 });
      const { stdout } = await stage.command(['keys', 'export', ...stage.keyring]);
      const ring = JSON.parse(stdout);
      expect(ring.active_key_id).toBe(stage.key.kid);
      expect(ring.keys).toHaveLength(Number(run.envelope?.payload['keys']));
      await stage.client().call('ReloadKeys', {});
      expect(await stage.accepts(bearerOf(key))).toBe(true);
    };
  },

  async 'keys sync'(stage) {
    const redis = await RedisServer.start();
    onTestFinished(() => redis.stop());
    const at = (prefix: string) => ['--redis-addr', redis.address, '--redis-key-prefix', prefix];
    const [active, spare] = [new TestKey(), new TestKey()];
    const file = join(await temporaryFolder(), 'ring.json');
    await writeFile(file, keyringDocument(active, spare));
    await succeed(stage, ['keys', 'import', file, ...at('eu')]);
    const stores = ['--from', redis.address, '--from-key-prefix', 'eu', '--to', redis.address];
    const { envelope } = await succeed(stage, ['keys', 'sync', ...stores, '--to-key-prefix', 'us']);
    return async () => {
      expect(envelope?.payload).toEqual({ active_key_id: active.kid, keys: 2, added: 2, updated: 0 });
      const [from, to] = [
        await stage.command(['keys', 'export', ...at('eu')]),
        await stage.command(['keys', 'export', ...at('us')]),
      ];
      expect(JSON.parse(to.stdout)).toEqual(JSON.parse(from.stdout));
      const node = await startMsg({ args: at('us'), startMs: 60_000 });
      onTestFinished(() => node.stop());
      for (const key of [active, spare])
        expect((await rpcOf(node.url, bearerOf(key))('ListChannels', {})).status).toBe(200);
      expect((await manifestOf(node.url)).active_key_id).toBe(active.kid);
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
    const { envelope } = await succeed(stage, ['logout'], { home });
    return async () => {
      const path = join(home, '.msg', 'credentials');
      expect(envelope?.payload).toEqual({ removed: true, path });
      await expect(stat(path)).rejects.toThrow('ENOENT');
      expect((await asLoggedIn(stage, home)).stderr).toContain('MSG_AUTH_DENIED');
    };
  },

  async 'config check'(stage) {
    const folder = await temporaryFolder();
    const config = join(folder, 'msg.yaml');
    const addr = `127.0.0.1:${await freePort()}`;
    await writeFile(
      config,
      `server: { addr: "${addr}" }\nauth: { state_dir: state }\nchannels: { open: [] }\n`,
    );
    const { envelope } = await succeed(stage, ['config', 'check', config]);
    return async () => {
      expect(envelope?.payload).toEqual({ path: config, ok: true });
      const server = await startMsg({ args: ['--config', config] });
      onTestFinished(() => server.stop());
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      expect((await manifestOf(server.url)).config_source).toBe(config);
    };
  },

  async 'config schema'(stage) {
    const { stdout } = await succeed(stage, ['config', 'schema']);
    return async () => {
      const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(stdout));
      expect(isValid(parse(await readFile(stage.config, 'utf8')))).toBe(true);
      expect(isValid({ server: { adress: ':8000' } })).toBe(false);
    };
  },

  async 'config init'(stage) {
    const { stdout } = await succeed(stage, ['config', 'init']);
    const config = join(await temporaryFolder(), 'msg.yaml');
    await writeFile(config, stdout);
    return async () => {
      const { envelope } = await succeed(stage, ['config', 'check', config]);
      expect(envelope?.payload).toEqual({ path: config, ok: true });
    };
  },

  async 'api-keys new'(stage) {
    const { envelope } = await succeed(stage, ['api-keys', 'new', 'shop']);
    const [key, yaml] = ['key', 'yaml'].map(member => String(envelope?.payload[member]));
    const config = join(await temporaryFolder(), 'msg.yaml');
    await writeFile(config, `auth:\n${yaml?.replaceAll(/^/gm, '  ')}`);
    return async () => {
      const server = await startMsg({ args: ['--config', config] });
      onTestFinished(() => server.stop());
      expect((await rpcOf(server.url, key)('ListChannels', {})).status).toBe(200);
      expect((await rpcOf(server.url, `${key}x`)('ListChannels', {})).status).toBe(401);
      expect(await readFile(config, 'utf8')).not.toContain(key);
    };
  },

  async 'config print'(stage) {
    const { envelope } = await succeed(stage, ['config', 'print', '--config', stage.config]);
    return async () => {
      const manifest = await manifestOf(stage.server.url);
      expect(envelope?.payload).toMatchObject({
        config_source: manifest.config_source,
        settings: {
          'rate_limits.publish.rate': { value: '1234/1s', source: 'file' },
          'auth.oidc.issuer': { value: manifest.auth_oidc_issuer, source: 'file' },
          'sink_retry.max_attempts': { value: manifest.sink_retry.max_attempts, source: 'file' },
          'server.addr': { source: 'default' },
        },
      });
      expect(manifest.rate_limits.publish).toMatchObject({ rate: 1234, per: '1s' });
      expect(manifest.sinks).toEqual([SINK]);
      expect(manifest.auth_oidc_issuer).toBe(stage.provider.issuer);
    };
  },

  async completion(stage) {
    const { stdout } = await succeed(stage, ['completion', 'bash']);
    return async () => {
      const offered = (word: string): string[] => {
        const probe = `${stdout}\nCOMP_WORDS=(msg ${word} ''); COMP_CWORD=2; _msg; printf '%s\\n' "\${COMPREPLY[@]}"`;
        return execFileSync('bash', ['-c', probe], { encoding: 'utf8' }).split('\n').filter(Boolean);
      };
      const groups = Map.groupBy(
        COMMANDS.map(({ name }) => name.split(' ')).filter(words => words.length === 2),
        ([group]) => group,
      );
      for (const [group = '', members] of groups)
        expect(offered(group)).toEqual(expect.arrayContaining(members.map(([, word]) => word)));
      for (const { name } of COMMANDS)
        expect((await stage.command([...name.split(' '), '--help'])).code).toBe(0);
    };
  },
};
