import { execFileSync } from 'node:child_process';
import {
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@msg/foundation/clock';
import { describe, expect, it } from 'vitest';
import { Git } from '#src/store/git-command.ts';
import { GitIndex } from '#src/store/git-index.ts';
import { withBlob } from '#src/store/index-file.ts';
import { IndexWriter } from '#src/store/index-writer.ts';
import { locate, type RepositoryLocation } from '#src/store/repository-location.ts';
import { git, temporaryRoots } from './stores.ts';

const root = temporaryRoots();
const LONG_AGO = new Date('2020-01-01T00:00:00Z');
const PATHS = ['a.json', 'boards/b.json', 'boards/deep/c.json', 'boards-2/d.json', 'é.json'];

/** A repository whose files are older than its index. */
async function repository(format = 'sha1') {
  const directory = await root();
  git(directory, 'init', '-q', `--object-format=${format}`);
  for (const path of PATHS) {
    await mkdir(join(directory, path, '..'), { recursive: true });
    await writeFile(join(directory, path), path);
    await utimes(join(directory, path), LONG_AGO, LONG_AGO);
  }
  git(directory, 'add', '.');
  git(directory, 'commit', '-qm', 'start');
  const index = join(directory, '.git', 'index');
  const blobOf = (text: string): string =>
    execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: directory, input: text }).toString().trim();
  const ours = async (path: string, blob: string) =>
    withBlob(await readFile(index), Math.floor((await stat(index)).mtimeMs / 1_000), path, blob);
  const byGit = (path: string, blob: string): void => {
    const input = `100644 ${blob}\t${path}\0`;
    execFileSync('git', ['update-index', '-z', '--index-info'], { cwd: directory, input });
  };
  return { directory, index, blobOf, ours, byGit };
}

describe('an entry of the index', () => {
  it.each(['sha1', 'sha256'])('is changed to the bytes that git writes (%s)', async format => {
    const { directory, index, blobOf, ours, byGit } = await repository(format);
    // Twice: the trees of the commit are known to the index at first, and unknown the second time.
    for (const path of [...PATHS, ...PATHS]) {
      const blob = blobOf(`${path} ${Math.random()}`);
      const written = await ours(path, blob);
      byGit(path, blob);
      expect(written).toEqual(await readFile(index));
      if (path === 'boards/deep/c.json') git(directory, 'commit', '-qm', 'known again');
    }
  });

  it('is changed in an index without trees', async () => {
    const { directory, index, blobOf, ours, byGit } = await repository();
    git(directory, 'read-tree', '--empty');
    git(directory, 'add', '.');
    const blob = blobOf('new');
    const written = await ours('a.json', blob);
    byGit('a.json', blob);
    expect(written).toEqual(await readFile(index));
  });

  it.each<[string, (directory: string) => Promise<void> | void]>([
    ['of version 4', directory => void git(directory, 'update-index', '--index-version', '4')],
    ['that is split', directory => void git(directory, 'update-index', '--split-index')],
    ['of an untracked cache', directory => void git(directory, 'update-index', '--force-untracked-cache')],
    [
      'of files marked to be skipped',
      directory => void git(directory, 'update-index', '--skip-worktree', 'é.json'),
    ],
    [
      'whose entry is assumed unchanged',
      directory => void git(directory, 'update-index', '--assume-unchanged', 'a.json'),
    ],
    ['whose entry is a program', directory => void git(directory, 'update-index', '--chmod=+x', 'a.json')],
    ['without the entry', directory => void git(directory, 'rm', '-q', '--cached', 'a.json')],
    [
      'with a file staged as it was written',
      async directory => {
        const soon = new Date(Date.now() + 60_000);
        await writeFile(join(directory, 'é.json'), 'new');
        await utimes(join(directory, 'é.json'), soon, soon);
        git(directory, 'add', 'é.json');
      },
    ],
  ])('is left to git in an index %s', async (_name, change) => {
    const { directory, blobOf, ours } = await repository();
    const blob = blobOf('new');
    expect(await ours('a.json', blob)).toBeDefined();
    await change(directory);
    expect(await ours('a.json', blob)).toBeUndefined();
    // Git does it then.
    const location = (await locate(directory)) as RepositoryLocation;
    await new GitIndex(new Git(directory), location, 'a.json', systemClock).stage(blob);
    expect(git(directory, 'ls-files', '--stage', 'a.json')).toContain(blob);
  });

  it('is left to git in an index that is damaged or cut', async () => {
    const { index, blobOf } = await repository();
    const [bytes, blob] = [await readFile(index), blobOf('new')];
    for (const length of [0, 4, 11, 20, 21, 40, bytes.length - 1])
      expect(withBlob(bytes.subarray(0, length), 2e9, 'a.json', blob)).toBeUndefined();
    const damaged = Buffer.from(bytes);
    damaged[60] = (damaged[60] as number) ^ 1;
    expect(withBlob(damaged, 2e9, 'a.json', blob)).toBeUndefined();
    expect(withBlob(bytes, 2e9, 'a.json', blob)).toBeDefined();
  });
});

describe('the file of the index', () => {
  async function writerAt() {
    const { directory, index, blobOf } = await repository();
    const privateDirectory = join(directory, '.git');
    const entry = (): string => git(directory, 'ls-files', '--stage', 'a.json').split(' ')[1] ?? '';
    const names = async () => (await readdir(privateDirectory)).filter(name => /index/.test(name));
    return { directory, index, blobOf, entry, names, writer: new IndexWriter(privateDirectory) };
  }

  it('is replaced as a whole, keeps its permissions and leaves no other name', async () => {
    const { directory, index, blobOf, entry, names, writer } = await writerAt();
    await chmod(index, 0o660);
    const blob = blobOf('new');
    expect(writer.stage('a.json', blob)).toBe('staged');
    expect(entry()).toBe(blob);
    expect((await stat(index)).mode & 0o777).toBe(0o660);
    expect(await names()).toEqual(['index']);
    expect(git(directory, 'status', '--porcelain')).toBe('MM a.json');
  });

  it('is not written while another program holds its lock, whose lock stays', async () => {
    const { blobOf, entry, names, index, writer } = await writerAt();
    const before = entry();
    await writeFile(`${index}.lock`, 'theirs');
    expect(writer.stage('a.json', blobOf('new'))).toBe('locked');
    expect(entry()).toBe(before);
    expect(await readFile(`${index}.lock`, 'utf8')).toBe('theirs');
    expect(await names()).toEqual(['index', 'index.lock']);
    writer.removeLeftover();
    expect(await names()).toEqual(['index', 'index.lock']);
  });

  it('is freed of the lock of a writer that was killed, by the next one', async () => {
    const { blobOf, entry, names, index, writer } = await writerAt();
    const left = join(index, '..', '.dash-index-next');
    await writeFile(left, 'half');
    await link(left, `${index}.lock`);
    const blob = blobOf('new');
    expect(writer.stage('a.json', blob)).toBe('staged');
    expect(entry()).toBe(blob);
    expect(await names()).toEqual(['index']);
  });

  it('is freed of that lock also where git writes it', async () => {
    const { directory, names, index, blobOf } = await writerAt();
    git(directory, 'update-index', '--index-version', '4');
    const left = join(index, '..', '.dash-index-next');
    await writeFile(left, 'half');
    await link(left, `${index}.lock`);
    const location = (await locate(directory)) as RepositoryLocation;
    const blob = blobOf('new');
    await new GitIndex(new Git(directory), location, 'a.json', systemClock).stage(blob);
    expect(git(directory, 'ls-files', '--stage', 'a.json')).toContain(blob);
    expect(await names()).toEqual(['index']);
  });

  it('is left to git where it is a link or missing', async () => {
    const { blobOf, index, directory, writer } = await writerAt();
    const blob = blobOf('new');
    await rm(index);
    expect(writer.stage('a.json', blob)).toBe('unfit');
    await symlink(join(directory, 'a.json'), index);
    expect(writer.stage('a.json', blob)).toBe('unfit');
  });
});
