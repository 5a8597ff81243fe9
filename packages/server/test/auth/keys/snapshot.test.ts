import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exportKeyring, importKeyring } from '#src/auth/keys/transfer.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { keyringDocument, TestKey, writeKeyring } from '../../support/minting.ts';

const [a, b, c] = [
  new TestKey('k-aaaaaaaaaaaa'),
  new TestKey('k-bbbbbbbbbbbb'),
  new TestKey('k-cccccccccccc'),
];

interface Ring {
  readonly active_key_id: string;
  readonly keys: readonly { readonly id: string; readonly role: string; readonly secret_hex: string }[];
}

const ringAt = async (path: string): Promise<Ring> => JSON.parse(await exportKeyring({ path }));
const rolesAt = async (path: string) =>
  Object.fromEntries((await ringAt(path)).keys.map(({ id, role }) => [id, role]));
const document = (activeId: string, ...keys: readonly object[]) =>
  JSON.stringify({ format_version: '1', active_key_id: activeId, keys });
const merge = (path: string, source: string, force = false) => importKeyring({ path }, source, { force });

describe('export', () => {
  test('gives the stored document, from the directory or the file itself', async () => {
    const folder = await temporaryFolder();
    await writeKeyring(folder, a, b);
    const text = await exportKeyring({ path: folder });
    expect(JSON.parse(text)).toEqual(JSON.parse(keyringDocument(a, b)));
    expect(await exportKeyring({ path: join(folder, 'keyring.json') })).toBe(text);
    expect(text.endsWith('}\n')).toBe(true);
  });

  test('refuses a place without a keyring', async () => {
    await expect(exportKeyring({ path: await temporaryFolder() })).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
    });
  });
});

describe('import', () => {
  test('creates a missing keyring for its owner alone', async () => {
    const state = join(await temporaryFolder(), 'state');
    expect(await merge(state, keyringDocument(a, b))).toEqual({
      active_key_id: a.kid,
      keys: 2,
      added: 2,
      updated: 0,
    });
    expect((await stat(state)).mode & 0o777).toBe(0o700);
    expect((await stat(join(state, 'keyring.json'))).mode & 0o777).toBe(0o600);
    const elsewhere = join(await temporaryFolder(), 'ring.json');
    await merge(elsewhere, keyringDocument(a));
    expect((await stat(elsewhere)).isFile()).toBe(true);
  });

  test('keeps local keys, adds those of the snapshot, and its active key signs', async () => {
    const folder = await temporaryFolder();
    await writeKeyring(folder, a, b);
    expect(await merge(folder, keyringDocument(c, b))).toEqual({
      active_key_id: c.kid,
      keys: 3,
      added: 1,
      updated: 1,
    });
    expect(await rolesAt(folder)).toEqual({
      [a.kid]: 'verify-only',
      [b.kid]: 'verify-only',
      [c.kid]: 'active',
    });
  });

  test('a matching key takes the role of the snapshot', async () => {
    const folder = await temporaryFolder();
    await writeKeyring(folder, a, b);
    await merge(folder, keyringDocument(b, a));
    expect(await rolesAt(folder)).toEqual({ [a.kid]: 'verify-only', [b.kid]: 'active' });
  });

  test('importing an export changes nothing', async () => {
    const folder = await temporaryFolder();
    await writeKeyring(folder, a, b);
    expect(await merge(folder, await exportKeyring({ path: folder }))).toMatchObject({
      added: 0,
      updated: 0,
    });
  });

  test('a retired entry ends the local key, and is skipped when there is none', async () => {
    const folder = await temporaryFolder();
    await writeKeyring(folder, a, b);
    const snapshot = document(a.kid, a.entry('active'), b.entry('retired'), c.entry('retired'));
    expect(await merge(folder, snapshot)).toMatchObject({ keys: 1, added: 0, updated: 1 });
    expect(await rolesAt(folder)).toEqual({ [a.kid]: 'active' });
  });

  test('when the active key ends, the newest other one signs; the last key stays', async () => {
    const folder = await temporaryFolder();
    await writeKeyring(folder, a, b);
    expect(await merge(folder, document('', a.entry('retired')))).toMatchObject({ active_key_id: b.kid });
    await expect(merge(folder, document('', b.entry('retired')))).rejects.toThrow(
      'no key would be left to sign',
    );
    expect(await rolesAt(folder)).toEqual({ [b.kid]: 'active' });
  });

  test('a key with another secret is refused, or taken by force', async () => {
    const folder = await temporaryFolder();
    await writeKeyring(folder, a);
    const other = new TestKey(a.kid);
    await expect(merge(folder, keyringDocument(other))).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
    });
    expect((await ringAt(folder)).keys[0]?.secret_hex).toBe(a.secret.toString('hex'));
    expect(await merge(folder, keyringDocument(other), true)).toMatchObject({ added: 0, updated: 1 });
    expect((await ringAt(folder)).keys[0]?.secret_hex).toBe(other.secret.toString('hex'));
  });

  test.each([
    ['not JSON', '{'],
    ['no object', '[]'],
    ['an unknown format', JSON.stringify({ format_version: '9', active_key_id: '', keys: [] })],
    ['two active keys', document(a.kid, a.entry('active'), b.entry('active'))],
    ['another active key than it names', document(a.kid, a.entry('verify-only'), b.entry('active'))],
    ['an active key that is not there', document(c.kid, a.entry('active'))],
    ['keys without an active one', document('', a.entry('verify-only'))],
    ['nothing at all', document('')],
    ['a key twice', document(a.kid, a.entry('active'), a.entry('verify-only'))],
    ['a key both retired and not', document(a.kid, a.entry('active'), a.entry('retired'))],
    ['a short secret', document(a.kid, { ...a.entry('active'), secret_hex: 'aa' })],
    ['an unknown role', document(a.kid, a.entry('active'), b.entry('boss'))],
    ['an unknown member', JSON.stringify({ ...JSON.parse(keyringDocument(a)), extra: 1 })],
    ['an unknown member of a key', document(a.kid, { ...a.entry('active'), extra: 1 })],
    [
      'an unknown member of a retired key',
      document(a.kid, a.entry('active'), { ...b.entry('retired'), x: 1 }),
    ],
  ])('%s is refused, and the store stays as it is', async (what, snapshot) => {
    const folder = await temporaryFolder();
    await mkdir(folder, { recursive: true });
    const path = join(folder, 'keyring.json');
    // An empty snapshot changes nothing where there are keys; where there are none, nobody could sign.
    if (what === 'nothing at all') await writeFile(path, document(''));
    else await writeKeyring(folder, a);
    const before = await readFile(path, 'utf8');
    await expect(merge(folder, snapshot)).rejects.toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
    expect(await readFile(path, 'utf8')).toBe(before);
  });
});
