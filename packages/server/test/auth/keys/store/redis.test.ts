import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Keyring } from '#src/auth/keys/keyring.ts';
import { RedisKeyringStore } from '#src/auth/keys/store/redis/store.ts';
import { KeyringWatcher } from '#src/auth/keys/watcher.ts';
import { connectSharedStore, type SharedConnection } from '#src/stores/redis/connect.ts';

describe('the keyring that nodes share', () => {
  let server: RedisServer;
  let connection: SharedConnection;

  beforeAll(async () => {
    server = await RedisServer.start();
    connection = await connectSharedStore({ address: server.address, keyPrefix: 'keys' });
  });
  beforeEach(async () => {
    await server.command('FLUSHALL');
  });
  afterAll(async () => {
    await connection.close();
    await server.stop();
  });

  const open = () =>
    Keyring.open({
      clock: new ManualClock(),
      random: systemRandom,
      store: new RedisKeyringStore(connection.store),
    });
  const quiet = { onReloaded: () => {}, onFailed: () => {} };

  test('nodes that boot together end with one ring', async () => {
    const rings = await Promise.all(Array.from({ length: 6 }, open));
    expect(new Set(rings.map(keyring => keyring.active.id)).size).toBe(1);
    expect(await server.command('GET', 'keys:keyring:version')).toBe('1');
    const document = String(await server.command('GET', 'keys:keyring'));
    expect(document).not.toContain('\n');
    expect(JSON.parse(document)).toMatchObject({ format_version: '1', active_key_id: rings[0]?.active.id });
  });

  test('changes of several nodes at once are all kept', async () => {
    const [a, b] = [await open(), await open()];
    await Promise.all([a.generate(), b.generate(), a.generate(), b.generate()]);
    await Promise.all([a.reload(), b.reload()]);
    expect(a.keySet.keys.map(key => key.id)).toEqual(b.keySet.keys.map(key => key.id));
    expect(a.keySet.keys).toHaveLength(5);
  });

  test('a look finds the write of another node', async () => {
    const [a, b] = [await open(), await open()];
    const { id } = await a.generate();
    await a.promote(id);
    await new KeyringWatcher(b, new ManualClock(), 0, quiet).poll();
    expect(b.active.id).toBe(id);
  });

  test('a store that lost its data gets the ring back, so tokens stay valid', async () => {
    const [a, b] = [await open(), await open()];
    const { id } = a.active;
    await server.command('FLUSHALL');
    await Promise.all([a, b].map(keyring => new KeyringWatcher(keyring, new ManualClock(), 0, quiet).poll()));
    expect((await open()).active.id).toBe(id);
    expect([a.active.id, b.active.id]).toEqual([id, id]);
  });

  test('a ring that replaced a lost one is noticed, although the numbers began anew', async () => {
    const a = await open();
    await server.command('FLUSHALL');
    const stranger = await open();
    expect(await server.command('GET', 'keys:keyring:version')).toBe('1');
    await new KeyringWatcher(a, new ManualClock(), 0, quiet).poll();
    expect(a.active.id).toBe(stranger.active.id);
  });

  test('a ring that cannot be read fails the boot', async () => {
    await server.command('SET', 'keys:keyring', '{"keys": 7}');
    await expect(open()).rejects.toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
  });
});
