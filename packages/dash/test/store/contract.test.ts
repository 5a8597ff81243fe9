import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DashError } from '#src/errors.ts';
import { systemFiles } from '#src/store/atomic-file.ts';
import { FileStore } from '#src/store/file-store.ts';
import { openStore } from '#src/store/open-store.ts';
import { documentBytes, errorOf, KINDS, storeAt, temporaryRoots } from './stores.ts';

const root = temporaryRoots();

describe.each(KINDS)('the %s store', kind => {
  it('loads saved bytes back identical, with a revision of exactly these bytes', async () => {
    const store = storeAt(kind, join(await root(), 'made', 'on', 'demand'));
    expect(await store.list()).toEqual([]);
    const bytes = new TextEncoder().encode('{"manifest":{"id":"a"},  "x": 1.50}');
    const first = await store.save('a', bytes);
    const loaded = await store.load('a');
    expect(Buffer.from(loaded.bytes).equals(bytes)).toBe(true);
    expect(loaded.revision).toBe(first);
    const second = await store.save('a', documentBytes('a', 'two'));
    expect(second).not.toBe(first);
    expect(await store.revision('a')).toBe(second);
  });

  it('lists documents sorted and nothing else', async () => {
    const directory = await root();
    const store = storeAt(kind, directory);
    for (const id of ['b', '*', '-x', ':x', 'ä b']) await store.save(id, documentBytes(id, id));
    await writeFile(join(directory, '.hidden.json'), '{}');
    await writeFile(join(directory, '.dash-tmp-left'), '{');
    await writeFile(join(directory, 'note.txt'), 'x');
    await writeFile(join(directory, 'broken.json'), '{');
    await writeFile(join(directory, 'con.json'), '{}');
    await mkdir(join(directory, 'folder.json'));
    expect(await store.list()).toEqual(['*', '-x', ':x', 'b', 'broken', 'ä b']);
  });

  it.each([
    ['', 'blank'],
    [' ', 'blank'],
    ['../x', 'separator'],
    ['a\\b', 'separator'],
    ['a\0', 'control_character'],
    ['a\nb', 'control_character'],
    ['.', 'leading_dot'],
    ['.git', 'leading_dot'],
    ['a.', 'trailing_dot_or_blank'],
    ['a ', 'trailing_dot_or_blank'],
    ['ä'.repeat(101), 'too_long'],
    ['CON', 'device_name'],
    ['com1.x', 'device_name'],
  ])('refuses the id %j everywhere', async (id, reason) => {
    const store = storeAt(kind, await root());
    const attempts = [
      () => store.load(id),
      () => store.save(id, documentBytes(id, 'x')),
      () => store.delete(id),
      () => store.exists(id),
      () => store.revision(id),
      () => store.history(id),
      () => store.loadAt(id, 'x'),
      () => store.exclusively(id, async () => undefined),
    ];
    for (const attempt of attempts) {
      expect(await errorOf(attempt())).toMatchObject({ code: 'STORAGE_ID_INVALID', details: { reason } });
    }
  });

  it('refuses a value that is not a document, and a document with another id', async () => {
    const store = storeAt(kind, await root());
    const encode = (text: string) => new TextEncoder().encode(text);
    expect(await errorOf(store.save('a', encode('{')))).toMatchObject({ code: 'STORAGE_INVALID' });
    expect(await errorOf(store.save('a', encode('[]')))).toMatchObject({ code: 'STORAGE_INVALID' });
    expect(await errorOf(store.save('a', new Uint8Array([0xff])))).toMatchObject({
      details: { reason: 'not_utf8' },
    });
    expect(await errorOf(store.save('a', new Uint8Array(9e6)))).toMatchObject({
      details: { reason: 'size' },
    });
    const mismatch = { code: 'STORAGE_ID_MISMATCH', details: { id: 'a', manifestId: 'b' } };
    expect(await errorOf(store.save('a', documentBytes('b', 'x')))).toMatchObject(mismatch);
    expect(await store.list()).toEqual([]);
  });

  it('refuses a stale precondition and keeps the stored bytes', async () => {
    const store = storeAt(kind, await root());
    const first = (await store.save('a', documentBytes('a', 'one'))) ?? '';
    const second = await store.save('a', documentBytes('a', 'two'), { expectedRevision: first });
    const stale = await errorOf(store.save('a', documentBytes('a', 'three'), { expectedRevision: first }));
    expect(stale).toMatchObject({
      code: 'CHANGESET_REVISION_CONFLICT',
      details: { id: 'a', expected: first, current: second },
    });
    expect(await store.revision('a')).toBe(second);
  });

  it('deletes; what is not there is STORAGE_NOT_FOUND', async () => {
    const store = storeAt(kind, await root());
    expect(await errorOf(store.load('a'))).toMatchObject({ code: 'STORAGE_NOT_FOUND', details: { id: 'a' } });
    await store.save('a', documentBytes('a', 'one'));
    expect(await store.exists('a')).toBe(true);
    await store.delete('a');
    expect(await store.exists('a')).toBe(false);
    expect(await errorOf(store.delete('a'))).toMatchObject({ code: 'STORAGE_NOT_FOUND' });
    expect(await errorOf(storeAt(kind, '/dev/null/none').load('a'))).toMatchObject({ code: 'STORAGE_IO' });
  });

  it('creates nothing where a document is only asked for', async () => {
    const missing = join(await root(), 'missing');
    const store = storeAt(kind, missing);
    const asked = [
      () => store.load('a'),
      () => store.revision('a'),
      () => store.delete('a'),
      () => store.exclusively('a', document => document.load()),
    ];
    for (const ask of asked)
      expect(await errorOf(ask())).toMatchObject({ code: 'STORAGE_NOT_FOUND', details: { id: 'a' } });
    expect(await store.exists('a')).toBe(false);
    await expect(readdir(missing)).rejects.toThrow('ENOENT');
  });

  it('reads a link that stays inside the root, never writes it, and refuses everything irregular', async () => {
    const directory = await root();
    const store = storeAt(kind, directory);
    await store.save('real', documentBytes('real', 'x'));
    await symlink(join(directory, 'real.json'), join(directory, 'inside.json'));
    await symlink('/etc/hostname', join(directory, 'outside.json'));
    await mkdir(join(directory, 'folder.json'));
    expect((await store.load('inside')).bytes).toEqual((await store.load('real')).bytes);
    expect(await store.list()).toEqual(['inside', 'real']);
    for (const id of ['outside', 'folder']) {
      expect(await errorOf(store.load(id))).toMatchObject({
        code: 'STORAGE_IO',
        details: { id, operation: 'load' },
      });
    }
    expect(await errorOf(store.save('inside', documentBytes('inside', 'x')))).toMatchObject({
      code: 'STORAGE_IO',
    });
  });

  it.each(['writeAndFlush', 'rename'] as const)('keeps the old bytes when %s fails', async call => {
    const directory = await root();
    await storeAt(kind, directory).save('a', documentBytes('a', 'one'));
    const fail = async () => {
      throw Object.assign(new Error(`no space at ${directory}`), { code: 'ENOSPC' });
    };
    const options = { root: directory, files: { ...systemFiles, [call]: fail } };
    const error = await errorOf(new FileStore(options).save('a', documentBytes('a', 'two')));
    expect(error).toMatchObject({
      code: 'STORAGE_IO',
      details: { id: 'a', operation: 'save', reason: 'ENOSPC' },
    });
    expect(error.message).not.toContain(directory);
    expect(await readFile(join(directory, 'a.json'))).toEqual(Buffer.from(documentBytes('a', 'one')));
    expect((await readdir(directory)).filter(name => name.startsWith('.dash'))).toEqual([]);
  });
});

it('an unknown kind of store is refused by name', async () => {
  expect(() => openStore('s3', '.')).toThrowError(DashError);
  const error = await errorOf((async () => openStore('s3', '.'))());
  expect(error).toMatchObject({
    code: 'STORAGE_BACKEND_UNKNOWN',
    details: { store: 's3', known: ['fs', 'git'] },
  });
});

it('the fs store keeps no history', async () => {
  const store = openStore('fs', await root());
  const expected = { code: 'STORAGE_CAPABILITY_UNSUPPORTED', details: { id: 'a', capability: 'history' } };
  expect(await errorOf(store.history('a'))).toMatchObject(expected);
  expect(await errorOf(store.loadAt('a', 'x'))).toMatchObject(expected);
});
