import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileApiKeyStore } from '#src/auth/api-keys/store/file.ts';
import { temporaryFolder } from '../../../support/folders.ts';
import { apiKeyStoreContract } from '../../../support/store-contracts.ts';

apiKeyStoreContract('file', async () => {
  const folder = join(await temporaryFolder(), 'state');
  const store = new FileApiKeyStore(folder);
  // Two processes never write one state directory: the second view is that of a reader and of a later run.
  return [store, store];
});

const KEY = {
  name: 'shop',
  revision: 'aa',
  createdAtMs: 1,
  role: 'viewer' as const,
  grants: [],
  secrets: [{ id: 'abcdefgh', sha256: '0'.repeat(64) }],
};

describe('api-keys.json', () => {
  it('is made 0600 in a directory of 0700, without a temporary file beside it', async () => {
    const folder = join(await temporaryFolder(), 'state');
    await new FileApiKeyStore(folder).replace('shop', undefined, KEY);
    expect(await readdir(folder)).toEqual(['api-keys.json']);
    expect((await stat(join(folder, 'api-keys.json'))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await new FileApiKeyStore(folder).load()).toEqual([KEY]);
  });

  const key = JSON.stringify({
    revision: 'aa',
    name: 'shop',
    role: 'admin',
    created_at_ms: 1,
    grants: [],
    secrets: [{ id: '', sha256: '0'.repeat(64) }],
  });
  it.each([
    ['', 'not JSON'],
    ['[]', 'must be a JSON object'],
    ['{}', 'format_version must be "1"'],
    ['{"format_version":"1"}', 'keys must be an array'],
    ['{"format_version":"1","keys":[1]}', 'every key must be an object'],
    [`{"format_version":"1","keys":[${key.replace('shop', 'Shop')}]}`, 'name must be'],
    [`{"format_version":"1","keys":[${key.replace('"aa"', '""')}]}`, 'key shop: revision is missing'],
    [
      `{"format_version":"1","keys":[${key.replace('admin', 'chef')}]}`,
      'key shop: role must be one of viewer, operator, admin',
    ],
    [`{"format_version":"1","keys":[${key.replace('[]', '[{"pattern":"x"}]')}]}`, 'grants[].pattern'],
    [`{"format_version":"1","keys":[${key.replace('0000"', '000"')}]}`, 'secrets[].sha256'],
    [`{"format_version":"1","keys":[${key},${key}]}`, 'two keys have the same name'],
  ])('that cannot be read is refused and stays: %s', async (content, problem) => {
    const folder = await temporaryFolder();
    const path = join(folder, 'api-keys.json');
    await writeFile(path, content);
    const store = new FileApiKeyStore(folder);
    await expect(store.load()).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message: expect.stringContaining(problem),
    });
    await expect(store.replace('other', undefined, { ...KEY, name: 'other' })).rejects.toThrow(problem);
    expect(await readFile(path, 'utf8')).toBe(content);
  });
});
