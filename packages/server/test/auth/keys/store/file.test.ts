import { chmod, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileKeyringStore } from '#src/auth/keys/store/file.ts';
import { temporaryFolder } from '../../../support/folders.ts';
import { keyringDocument, TestKey } from '../../../support/minting.ts';
import { keyringStoreContract } from '../../../support/store-contracts.ts';

keyringStoreContract('file', async () => {
  const folder = join(await temporaryFolder(), 'state');
  return [new FileKeyringStore(folder), new FileKeyringStore(folder)];
});

test('an existing directory keeps its mode, the file is made 0600, no temporary file stays', async () => {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  const path = join(folder, 'keyring.json');
  await writeFile(path, keyringDocument(new TestKey()), { mode: 0o644 });
  const store = new FileKeyringStore(folder);
  await store.protect();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const stored = await store.load();
  if (stored === undefined) throw new Error('nothing stored');
  await store.save(stored.keySet, stored.version);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o755);
  expect(await readdir(folder)).toEqual(['keyring.json']);
});
