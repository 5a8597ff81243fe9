import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, freePort, startMsg } from '@msg/testkit';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { COMMANDS } from '#src/cli/program.ts';
import { temporaryFolder } from '../folders.ts';
import { manifestOf, rpcOf } from '../rpc.ts';
import type { Claim } from './row.ts';
import { SINK } from './stage.ts';

/** Commands of the program itself. */
export const programRows: Readonly<Record<string, Claim>> = {
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

  async errors(stage) {
    const { envelope: all } = await stage.succeed(['errors']);
    const { envelope: one } = await stage.succeed(['errors', 'channel_not_found']);
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
    const { envelope } = await stage.succeed(['health', '--addr', host]);
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

  async 'config check'(stage) {
    const folder = await temporaryFolder();
    const config = join(folder, 'msg.yaml');
    const addr = `127.0.0.1:${await freePort()}`;
    await writeFile(
      config,
      `server: { addr: "${addr}" }\nauth: { state_dir: state }\nchannels: { open: [] }\n`,
    );
    const { envelope } = await stage.succeed(['config', 'check', config]);
    return async () => {
      expect(envelope?.payload).toEqual({ path: config, ok: true });
      const server = await startMsg({ args: ['--config', config] });
      onTestFinished(() => server.stop());
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      expect((await manifestOf(server.url)).config_source).toBe(config);
    };
  },

  async 'config schema'(stage) {
    const { stdout } = await stage.succeed(['config', 'schema']);
    return async () => {
      const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(stdout));
      expect(isValid(parse(await readFile(stage.config, 'utf8')))).toBe(true);
      expect(isValid({ server: { adress: ':8000' } })).toBe(false);
    };
  },

  async 'config init'(stage) {
    const { stdout } = await stage.succeed(['config', 'init']);
    const config = join(await temporaryFolder(), 'msg.yaml');
    await writeFile(config, stdout);
    return async () => {
      const { envelope } = await stage.succeed(['config', 'check', config]);
      expect(envelope?.payload).toEqual({ path: config, ok: true });
    };
  },

  async 'config print'(stage) {
    const { envelope } = await stage.succeed(['config', 'print', '--config', stage.config]);
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
    const { stdout } = await stage.succeed(['completion', 'bash']);
    return async () => {
      const offered = (group: readonly string[]): string[] => {
        const words = ['msg', ...group].join(' ');
        const probe = `${stdout}\nCOMP_WORDS=(${words} ''); COMP_CWORD=${group.length + 1}; _msg; printf '%s\\n' "\${COMPREPLY[@]}"`;
        return execFileSync('bash', ['-c', probe], { encoding: 'utf8' }).split('\n').filter(Boolean);
      };
      for (const words of COMMANDS.map(({ name }) => name.split(' ')))
        for (const at of words.keys()) expect(offered(words.slice(0, at))).toContain(words[at]);
      for (const { name } of COMMANDS)
        expect((await stage.command([...name.split(' '), '--help'])).code).toBe(0);
    };
  },
};
