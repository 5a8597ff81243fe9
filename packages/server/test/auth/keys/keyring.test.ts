import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { KeySet } from '#src/auth/keys/key-set.ts';
import { Keyring } from '#src/auth/keys/keyring.ts';
import type { KeyringStore, StoredKeySet } from '#src/auth/keys/store/contract.ts';
import { KeyringConflict } from '#src/auth/keys/store/contract.ts';
import { KeyringWatcher } from '#src/auth/keys/watcher.ts';

/** A store in memory whose next operations a test can make fail. */
class TestStore implements KeyringStore {
  readonly backend = 'external';
  readonly location = 'test';
  stored: StoredKeySet | undefined;
  failure: Error | undefined;
  writes = 0;

  async load(): Promise<StoredKeySet | undefined> {
    if (this.failure) throw this.failure;
    return this.stored;
  }

  async probe(): Promise<string | undefined> {
    return this.stored?.version;
  }

  async save(keySet: KeySet, expected: string | undefined): Promise<string> {
    if (this.failure) throw this.failure;
    if (this.stored?.version !== expected) throw new KeyringConflict('changed');
    this.stored = { keySet, version: String(++this.writes) };
    return this.stored.version;
  }
}

describe('the live keyring', () => {
  let clock: ManualClock;
  let store: TestStore;
  let keyring: Keyring;

  beforeEach(async () => {
    clock = new ManualClock();
    store = new TestStore();
    keyring = await Keyring.open({ clock, random: systemRandom, store });
  });

  test('an empty store gets its first active key', () => {
    expect(store.stored?.keySet.active?.id).toBe(keyring.active.id);
    expect(keyring.list()).toMatchObject([{ role: 'active' }]);
  });

  test('a failed write leaves the ring as it was', async () => {
    const before = keyring.keySet;
    store.failure = new Error('disk full');
    await expect(keyring.generate()).rejects.toThrow('disk full');
    await expect(keyring.retire(keyring.active.id)).rejects.toThrow('disk full');
    expect(keyring.keySet).toBe(before);
    store.failure = undefined;
    expect((await keyring.generate()).role).toBe('verify-only');
  });

  test('a ring that has gone from its place is not given up: a change writes it anew', async () => {
    const { active } = keyring;
    store.stored = undefined;
    const { id, role } = await keyring.generate();
    expect([role, keyring.active.id]).toEqual(['verify-only', active.id]);
    const written = await store.load();
    expect(written?.keySet.keys.map(key => key.id).sort()).toEqual([active.id, id].sort());
  });

  test('changes of two processes on one store both count', async () => {
    const other = await Keyring.open({ clock, random: systemRandom, store });
    const [mine, theirs] = [await keyring.generate(), await other.generate()];
    const ids = store.stored?.keySet.keys.map(key => key.id);
    expect(ids).toHaveLength(3);
    expect(ids).toEqual(expect.arrayContaining([mine.id, theirs.id]));
    await keyring.promote(theirs.id);
    expect(keyring.active.id).toBe(theirs.id);
  });

  test('concurrent changes run one after the other', async () => {
    const keys = await Promise.all([keyring.generate(), keyring.generate(), keyring.generate()]);
    await Promise.all(keys.map(key => keyring.promote(key.id)));
    expect(keyring.keySet.keys.filter(key => key.role === 'active').map(key => key.id)).toEqual([
      keys[2]?.id,
    ]);
  });

  test('retiring the active key promotes the newest other, or makes a new one', async () => {
    await clock.advance(1000);
    const older = await keyring.generate();
    await clock.advance(1000);
    const newer = await keyring.generate();
    await keyring.retire(keyring.active.id);
    expect(keyring.active.id).toBe(newer.id);
    await keyring.retire(newer.id);
    expect(keyring.active.id).toBe(older.id);
    await clock.advance(1000);
    await keyring.retire(older.id);
    expect([newer.id, older.id]).not.toContain(keyring.active.id);
    expect(keyring.list().map(key => key.role)).toEqual(['retired', 'retired', 'retired', 'active']);
    expect(keyring.list().map(key => key.role)).toEqual(['active']);
  });

  test('a reload that fails keeps the old ring and says MSG_INTERNAL', async () => {
    const before = keyring.keySet;
    store.failure = new Error('unreadable');
    await expect(keyring.reload()).rejects.toMatchObject({ code: 'MSG_INTERNAL' });
    store.failure = undefined;
    store.stored = { keySet: new KeySet([]), version: 'empty' };
    await expect(keyring.reload()).rejects.toMatchObject({ code: 'MSG_INTERNAL' });
    expect(keyring.keySet).toBe(before);
  });

  test('without a store there is nothing to reload', async () => {
    const ephemeral = await Keyring.open({ clock, random: systemRandom });
    expect(ephemeral.backend).toBe('ephemeral');
    await expect(ephemeral.reload()).rejects.toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
    const external = await Keyring.open({ clock, random: systemRandom, keySet: keyring.keySet });
    expect(external.backend).toBe('external');
    expect(external.active.id).toBe(keyring.active.id);
  });

  test('the watcher reloads on a change and reports a broken version once', async () => {
    const reloads: string[] = [];
    const watcher = new KeyringWatcher(keyring, clock, 1000, {
      onReloaded: () => reloads.push('reloaded'),
      onFailed: () => reloads.push('failed'),
    });
    watcher.start();
    await clock.advance(3000);
    expect(reloads).toEqual([]);
    const other = await Keyring.open({ clock, random: systemRandom, store });
    await other.retire(other.active.id);
    await clock.advance(1000);
    expect(reloads).toEqual(['reloaded']);
    expect(keyring.active.id).toBe(other.active.id);
    store.stored = { keySet: new KeySet([]), version: 'broken' };
    await clock.advance(5000);
    expect(reloads).toEqual(['reloaded', 'failed']);
    expect(watcher.up).toBe(false);
    await watcher.stop();
    expect(clock.pending).toBe(0);
  });

  test('listeners hear of every new ring, and of what this process did', async () => {
    const heard: string[] = [];
    keyring.onChange(() => heard.push('change'));
    keyring.onRotation(action => heard.push(action));
    const { id } = await keyring.generate();
    await keyring.promote(id);
    await keyring.promote(id);
    await keyring.retire(id);
    await keyring.retire(id);
    expect(heard).toEqual(['change', 'generated', 'change', 'promoted', 'change', 'retired']);
  });
});
