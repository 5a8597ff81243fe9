import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startMsg } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { expect, onTestFinished } from 'vitest';
import { temporaryFolder } from '../folders.ts';
import { keyringDocument, TestKey } from '../minting.ts';
import { manifestOf, rpcOf } from '../rpc.ts';
import { bearerOf, bringKey } from './key-rows.ts';
import type { Claim } from './row.ts';

/** Commands about keys that call no method. */
export const localKeyRows: Readonly<Record<string, Claim>> = {
  async 'keys export'(stage) {
    const out = join(await temporaryFolder(), 'ring.json');
    await stage.succeed(['keys', 'export', ...stage.keyring, '--out', out]);
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
    const run = await stage.succeed(['keys', 'import', await bringKey(stage, key), ...stage.keyring]);
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

  async 'keys rotate'(stage) {
    const run = await stage.succeed(['keys', 'rotate', '--alg', 'EdDSA']);
    return async () => {
      const { id, replaced, retired } = { ...run.envelope?.payload };
      expect([replaced, retired]).toEqual([stage.key.kid, false]);
      const { keys } = await stage.client().call('ListKeys', {});
      const roles = new Map(keys.map(key => [key.id, key.role]));
      expect([roles.get(String(id)), roles.get(stage.key.kid)]).toEqual(['active', 'verify-only']);
      await stage.client().call('PromoteKey', { id: stage.key.kid });
    };
  },

  async 'keys sync'(stage) {
    const redis = await RedisServer.start();
    onTestFinished(() => redis.stop());
    const at = (prefix: string) => ['--redis-addr', redis.address, '--redis-key-prefix', prefix];
    const [active, spare] = [new TestKey(), new TestKey()];
    const file = join(await temporaryFolder(), 'ring.json');
    await writeFile(file, keyringDocument(active, spare));
    await stage.succeed(['keys', 'import', file, ...at('eu')]);
    const stores = ['--from', redis.address, '--from-key-prefix', 'eu', '--to', redis.address];
    const { envelope } = await stage.succeed(['keys', 'sync', ...stores, '--to-key-prefix', 'us']);
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

  async 'api-keys new'(stage) {
    const { envelope } = await stage.succeed(['api-keys', 'new', 'shop']);
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

  async 'vapid generate'(stage) {
    const { envelope } = await stage.succeed(['vapid', 'generate']);
    const { public_key: publicKey, private_key: privateKey } = { ...envelope?.payload };
    const config = join(await temporaryFolder(), 'msg.yaml');
    const push = `{ kind: webpush, vapid_subject: "mailto:ops@example.com", vapid_private_key: ${privateKey} }`;
    await writeFile(config, `sinks:\n  push: ${push}\n`);
    return async () => {
      const server = await startMsg({ args: ['--config', config] });
      onTestFinished(() => server.stop());
      expect((await manifestOf(server.url)).webpush).toEqual({ push: publicKey });
    };
  },
};
