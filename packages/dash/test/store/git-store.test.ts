import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { describe, expect, it } from 'vitest';
import { GitStore } from '#src/store/git-store.ts';
import { documentBytes, errorOf, git, PATIENT_MS, storeAt, temporaryRoots } from './stores.ts';

const root = temporaryRoots();

/** Pauses between two attempts end at once. */
const WITHOUT_PAUSES: Clock = {
  ...systemClock,
  setTimeout: (callback, _ms, keepAlive) => systemClock.setTimeout(callback, 0, keepAlive),
};

/** A store whose git program, put into `directory`, fails at one command. */
async function failingAt(command: string, directory: string): Promise<GitStore> {
  const program = join(directory, 'git-that-fails');
  await writeFile(
    program,
    `#!/bin/sh\nfor a; do [ "$a" = ${command} ] && { echo "fatal: disk at /secret/place" >&2; exit 128; }; done\nexec git "$@"\n`,
  );
  await chmod(program, 0o755);
  return new GitStore({ root: directory, program, clock: WITHOUT_PAUSES });
}

describe('the git store', () => {
  it('reads a history in parts, one commit by its name, and the newest of every document', async () => {
    const directory = await root();
    const store = storeAt('git', directory);
    const revisions: string[] = [];
    for (const title of ['one', 'two', 'three'])
      revisions.unshift(
        (await store.save('a', documentBytes('a', title), { message: `Title ${title}` })) ?? '',
      );
    const other = (await store.save('b c', documentBytes('b c', 'other'))) ?? '';
    const names = async (part: object): Promise<string[]> =>
      (await store.history('a', part)).map(({ revision }) => revision);
    expect(await names({ limit: 2 })).toEqual(revisions.slice(0, 2));
    expect(await names({ skip: 1, limit: 5 })).toEqual(revisions.slice(1));
    expect(await names({ skip: 9 })).toEqual([]);
    const history = await store.history('a');
    for (const [index, revision] of revisions.entries())
      expect(await store.entry('a', revision)).toEqual(history[index]);
    expect(await store.entry('a', revisions[0]?.slice(0, 10) ?? '')).toEqual(history[0]);
    expect(await store.entry('a', `wt-${'0'.repeat(64)}`)).toBe(undefined);
    expect(await store.entry('a', '0'.repeat(40))).toBe(undefined);
    const newest = await store.newestEntries();
    expect([...newest].map(([id, { revision }]) => [id, revision])).toEqual([
      ['a', revisions[0]],
      ['b c', other],
    ]);
    expect(newest.get('a')).toMatchObject({ author: history[0]?.author, timestamp: history[0]?.timestamp });
    await store.delete('a');
    expect([...(await store.newestEntries()).keys()]).toEqual(['b c']);
    expect(await storeAt('git', join(directory, 'nothing')).newestEntries()).toEqual(new Map());
  });

  it(
    'looks through the newest 5,000 commits for the last change of each document',
    async () => {
      const directory = await root();
      const store = storeAt('git', directory);
      await store.save('old', documentBytes('old', 'old'));
      const commits = (first: number, count: number): string =>
        Array.from({ length: count }, (_, index) => {
          const content = `{"n": ${first + index}}`;
          const from = index === 0 ? 'from refs/heads/main^0\n' : '';
          return `commit refs/heads/main\ncommitter A <a@b> ${1_700_000_000 + first + index} +0000\ndata 1\nx\n${from}M 100644 inline many.json\ndata ${content.length}\n${content}\n`;
        }).join('');
      const write = (text: string): void => {
        execFileSync('git', ['-C', directory, 'fast-import', '--quiet'], { input: text });
        git(directory, 'reset', '-q', '--hard');
      };
      write(commits(0, 4_999));
      expect([...(await store.newestEntries()).keys()]).toEqual(['many', 'old']);
      write(commits(4_999, 1));
      expect([...(await store.newestEntries()).keys()]).toEqual(['many']);
      expect((await store.history('old')).length).toBe(1);
    },
    PATIENT_MS,
  );

  it('reads the offset of a commit from UTC as git prints it', async () => {
    const directory = await root();
    const store = storeAt('git', directory);
    await store.save('a', documentBytes('a', 'one'));
    await writeFile(join(directory, 'a.json'), documentBytes('a', 'two'));
    git(directory, 'commit', '-qam', 'By hand', '--date=2026-01-31T23:30:00-03:30', '--author=Ä <ä@x>');
    const [newest] = await store.history('a');
    expect(await store.entry('a', newest?.revision ?? '')).toEqual(newest);
    expect(newest?.timestamp).toBe('2026-01-31T23:30:00-03:30');
  });

  it('commits each save on its own, names its base, and reads old versions back', async () => {
    const directory = await root();
    const store = storeAt('git', directory);
    const first = (await store.save('a', documentBytes('a', 'one'))) ?? '';
    const second =
      (await store.save('a', documentBytes('a', 'two'), {
        summary: ['replace /a\n/b'],
        message: 'Second\tedit',
      })) ?? '';
    await store.save('b', documentBytes('b', 'other'));
    const history = await store.history('a');
    expect(history.map(entry => entry.revision)).toEqual([second, first]);
    expect(history[1]?.message).toBe('Save dashboard a');
    expect(history[0]?.message).toBe(
      `Second\\u0009edit\n\nreplace /a\\u000a/b\n\nDash-Base-Revision: ${first}`,
    );
    expect(Date.parse(history[0]?.timestamp ?? '')).toBeGreaterThan(0);
    for (const name of [first, first.slice(0, 12)]) {
      expect(await store.loadAt('a', name)).toEqual(Buffer.from(documentBytes('a', 'one')));
    }
    for (const name of ['0'.repeat(40), 'HEAD', '--help', 'wt-1']) {
      expect(await errorOf(store.loadAt('a', name))).toMatchObject({
        code: 'STORAGE_NOT_FOUND',
        details: { id: 'a', revision: name },
      });
    }
    expect(await errorOf(store.history('c'))).toMatchObject({ code: 'STORAGE_NOT_FOUND' });
    expect(git(directory, 'status', '--porcelain')).toBe('');
  });

  it('detects an edit by hand and records it on its own before the next save', async () => {
    const directory = await root();
    const store = storeAt('git', directory);
    const first = (await store.save('a', documentBytes('a', 'one'))) ?? '';
    await writeFile(join(directory, 'a.json'), documentBytes('a', 'by hand'));
    expect(await store.revision('a')).toMatch(/^wt-[0-9a-f]{64}$/);
    const conflict = await errorOf(store.save('a', documentBytes('a', 'two'), { expectedRevision: first }));
    expect(conflict).toMatchObject({ code: 'CHANGESET_REVISION_CONFLICT' });
    expect(await readFile(join(directory, 'a.json'))).toEqual(Buffer.from(documentBytes('a', 'by hand')));
    const current = await store.revision('a');
    expect(await store.loadAt('a', current)).toEqual(Buffer.from(documentBytes('a', 'by hand')));
    await store.save('a', documentBytes('a', 'two'), { expectedRevision: current });
    const subjects = (await store.history('a')).map(entry => entry.message.split('\n')[0]);
    expect(subjects).toEqual(['Save dashboard a', 'Record outside edit of a', 'Save dashboard a']);
  });

  it('touches only the document: dirty files stay dirty and staged files stay staged and out', async () => {
    const top = await root();
    git(top, 'init', '-q');
    await mkdir(join(top, 'boards'));
    for (const name of ['dirty', 'staged']) await writeFile(join(top, name), 'old');
    git(top, 'add', '.');
    git(top, 'commit', '-qm', 'start');
    for (const name of ['dirty', 'staged', 'untracked']) await writeFile(join(top, name), 'new');
    git(top, 'add', 'staged');
    await writeFile(join(top, '.git', 'hooks', 'pre-commit'), '#!/bin/sh\nexit 1\n');
    await chmod(join(top, '.git', 'hooks', 'pre-commit'), 0o755);
    const store = storeAt('git', join(top, 'boards'));
    for (const id of ['*', '-x', ':x']) {
      for (const title of ['one', 'two']) await store.save(id, documentBytes(id, title));
    }
    expect(git(top, 'status', '--porcelain').split('\n')).toEqual([' M dirty', 'M  staged', '?? untracked']);
    const touched = git(
      top,
      '-c',
      'core.quotePath=false',
      'log',
      '--format=',
      '--name-only',
      'HEAD~6..',
    ).split('\n');
    expect(touched.sort()).toEqual([
      'boards/*.json',
      'boards/*.json',
      'boards/-x.json',
      'boards/-x.json',
      'boards/:x.json',
      'boards/:x.json',
    ]);
    expect(await store.history('*')).toHaveLength(2);
    git(top, 'fsck', '--strict');
  });

  it('refuses to save while a merge is under way', async () => {
    const directory = await root();
    const store = storeAt('git', directory);
    await store.save('a', documentBytes('a', 'one'));
    git(directory, 'checkout', '-qb', 'side');
    await store.save('a', documentBytes('a', 'side'));
    git(directory, 'checkout', '-q', 'main');
    await store.save('a', documentBytes('a', 'main'));
    expect(() => git(directory, 'merge', '-q', 'side')).toThrow();
    const before = await readFile(join(directory, 'a.json'));
    expect(await errorOf(store.save('a', documentBytes('a', 'two')))).toMatchObject({
      code: 'STORAGE_IO',
      details: { id: 'a', operation: 'commit', reason: expect.stringContaining('MERGE_HEAD') },
    });
    expect(await readFile(join(directory, 'a.json'))).toEqual(before);
  });

  it('refuses to save to a link without a commit and with the index as it was', async () => {
    const directory = await root();
    const store = storeAt('git', directory);
    await store.save('real', documentBytes('real', 'x'));
    await symlink('real.json', join(directory, 'link.json'));
    const state = () => [git(directory, 'rev-parse', 'HEAD'), git(directory, 'ls-files', '--stage')];
    const before = state();
    expect(await errorOf(store.save('link', documentBytes('link', 'y')))).toMatchObject({
      code: 'STORAGE_IO',
      details: { id: 'link', reason: 'a symbolic link is never written' },
    });
    expect(state()).toEqual(before);
    expect(await store.load('link')).toMatchObject({ bytes: Buffer.from(documentBytes('real', 'x')) });
  });

  it.each(['hash-object', 'update-index', 'update-ref'])(
    'puts file and index back when %s fails',
    async command => {
      const directory = await root();
      await storeAt('git', directory).save('a', documentBytes('a', 'one'));
      // A plain index is written without git.
      git(directory, 'update-index', '--index-version', '4');
      const store = await failingAt(command, directory);
      const error = await errorOf(store.save('a', documentBytes('a', 'two')));
      expect(error).toMatchObject({ code: 'STORAGE_IO', details: { id: 'a', operation: 'commit' } });
      expect(JSON.stringify(error.toEnvelope())).not.toContain('secret');
      expect(await readFile(join(directory, 'a.json'))).toEqual(Buffer.from(documentBytes('a', 'one')));
      expect(git(directory, 'status', '--porcelain')).toBe('?? git-that-fails');
      expect(await errorOf(new GitStore({ root: directory, program: '/none/git' }).load('a'))).toMatchObject({
        code: 'STORAGE_IO',
      });
    },
  );

  it('saves, deletes and restores in a repository with SHA-256 hashes', async () => {
    const directory = await root();
    git(directory, 'init', '-q', '--object-format=sha256');
    const store = storeAt('git', directory);
    expect(await store.save('a', documentBytes('a', 'one'))).toMatch(/^[0-9a-f]{64}$/);
    await store.save('a', documentBytes('a', 'two'));
    await store.delete('a');
    expect(await store.history('a')).toHaveLength(3);
    const broken = await failingAt('update-ref', directory);
    expect(await errorOf(broken.save('b', documentBytes('b', 'one')))).toMatchObject({ code: 'STORAGE_IO' });
    expect(git(directory, 'ls-files')).toBe('');
  });

  it('keeps one history apart from another, whatever log follows by configuration', async () => {
    const directory = await root();
    const store = storeAt('git', directory);
    await store.save('a', documentBytes('a', 'one'));
    git(directory, 'config', 'log.follow', 'true');
    await store.save('b', documentBytes('b', 'one'));
    expect((await store.history('b')).map(entry => entry.message)).toEqual(['Save dashboard b']);
  });

  it('signs with the configured identity, each missing part filled in', async () => {
    const directory = await root();
    git(directory, 'init', '-q');
    git(directory, 'config', 'user.name', 'Ada');
    git(directory, 'config', 'user.email', '');
    const store = storeAt('git', directory);
    await store.save('a', documentBytes('a', 'one'));
    expect((await store.history('a'))[0]?.author).toBe('Ada <dash@localhost>');
  });

  it('deletes with one commit; a deleted document keeps its history', async () => {
    const directory = await root();
    const store = storeAt('git', directory);
    await store.save('a', documentBytes('a', 'one'));
    await store.delete('a');
    expect((await store.history('a')).map(entry => entry.message.split('\n')[0])).toEqual([
      'Delete dashboard a',
      'Save dashboard a',
    ]);
    expect(git(directory, 'status', '--porcelain')).toBe('');
  });

  it('leaves no report behind when git cannot build the commit', async () => {
    const directory = await root();
    const store = storeAt('git', directory);
    await store.save('a', documentBytes('a', 'one'));
    // The tree of HEAD is gone: nothing can be built on it.
    const tree = git(directory, 'rev-parse', 'HEAD^{tree}');
    await rm(join(directory, '.git', 'objects', tree.slice(0, 2), tree.slice(2)), { force: true });
    const error = await errorOf(store.save('b', documentBytes('b', 'one')));
    expect(error).toMatchObject({ code: 'STORAGE_IO', details: { operation: 'commit' } });
    expect(await readdir(join(directory, '.git'))).not.toContainEqual(expect.stringContaining('crash'));
    expect(await store.exists('b')).toBe(false);
  });

  it('builds its commit again on one that was made past the lock', async () => {
    const directory = await root();
    const store = storeAt('git', directory);
    await store.save('a', documentBytes('a', 'one'));
    const revision = await store.exclusively('a', async document => {
      const loaded = await document.load();
      await writeFile(join(directory, 'other'), 'x');
      git(directory, 'add', 'other');
      git(directory, 'commit', '-qm', 'Past the lock');
      return document.save(documentBytes('a', 'two'), { expectedRevision: loaded.revision ?? '' });
    });
    expect(git(directory, 'log', '--format=%s').split('\n')).toEqual([
      'Save dashboard a',
      'Past the lock',
      'Save dashboard a',
    ]);
    expect(git(directory, 'rev-parse', 'HEAD')).toBe(revision);
    expect(git(directory, 'ls-tree', '--name-only', 'HEAD')).toBe('a.json\nother');
    expect(git(directory, 'status', '--porcelain')).toBe('');
  });

  it('yields to a commit of the document that was made past the lock', async () => {
    const directory = await root();
    const store = storeAt('git', directory);
    await store.save('a', documentBytes('a', 'one'));
    const first = git(directory, 'rev-parse', 'HEAD');
    await store.save('a', documentBytes('a', 'theirs'));
    const theirs = git(directory, 'rev-parse', 'HEAD');
    git(directory, 'reset', '-q', '--hard', first);
    const error = await errorOf(
      store.exclusively('a', async document => {
        const { revision = '' } = await document.load();
        // The branch alone moves: the file is still as it was loaded.
        git(directory, 'update-ref', 'HEAD', theirs);
        return document.save(documentBytes('a', 'ours'), { expectedRevision: revision });
      }),
    );
    expect(error).toMatchObject({
      code: 'CHANGESET_REVISION_CONFLICT',
      details: { expected: first, current: theirs },
    });
    expect(await readFile(join(directory, 'a.json'))).toEqual(Buffer.from(documentBytes('a', 'theirs')));
    expect(git(directory, 'rev-parse', 'HEAD')).toBe(theirs);
    expect(git(directory, 'status', '--porcelain')).toBe('');
  });

  it('signs with a name that git could not take as it is', async () => {
    const directory = await root();
    git(directory, 'init', '-q');
    git(directory, 'config', 'user.name', ' Ada <the> first ');
    git(directory, 'config', 'user.email', '<ada@example.org>');
    const store = storeAt('git', directory);
    await store.save('a', documentBytes('a', 'one'));
    expect((await store.history('a'))[0]?.author).toBe('Ada the first <ada@example.org>');
  });

  it('saves below a folder whose name has to be quoted, and writes no branch but its own', async () => {
    const directory = await root();
    const folder = join(directory, 'a "b" \\ ü');
    await mkdir(folder);
    git(directory, 'init', '-q');
    const store = storeAt('git', folder);
    const revision = await store.save('a', documentBytes('a', 'one'));
    expect(git(directory, 'rev-parse', 'HEAD')).toBe(revision);
    expect(git(directory, 'for-each-ref', '--format=%(refname)').split('\n')).toHaveLength(1);
    expect(git(directory, 'status', '--porcelain')).toBe('');
    await store.delete('a');
    expect(git(directory, 'ls-files')).toBe('');
    git(directory, 'fsck', '--strict');
  });
});

describe('trailers of a commit', () => {
  const trailers = (directory: string) =>
    git(directory, 'log', '-1', '--format=%(trailers:only,unfold)').split('\n').filter(Boolean);

  it('say who and what, after the base, and end at one line of 100 characters', async () => {
    const directory = await root();
    const store = storeAt('git', directory);
    const base = await store.save('a', documentBytes('a', 'one'));
    await store.save('a', documentBytes('a', 'two'), {
      trailers: { 'Dash-Proposal': 'abcdefghij', 'Dash-Proposed-By': `agent ${'x'.repeat(200)}` },
    });
    expect(trailers(directory)).toEqual([
      `Dash-Base-Revision: ${base}`,
      'Dash-Proposal: abcdefghij',
      `Dash-Proposed-By: agent ${'x'.repeat(93)}…`,
    ]);
  });

  it.each([
    ['the subject', { message: 'Edit Dash-Committed-By: root' }],
    ['an operation', { summary: ['add /a\n\nDash-Committed-By: root'] }],
    [
      'a pointer of line separators',
      { summary: ['add /a\u2028\u2028Dash-Committed-By: root', 'Dash-Committed-By: root'] },
    ],
    [
      'a value',
      { trailers: { 'Dash-Proposed-By': 'x\nDash-Committed-By: root\r\n\nDash-Committed-By: root' } },
    ],
    [
      'a mark of the writing direction',
      { trailers: { 'Dash-Proposed-By': 'x\u202e\u0085Dash-Committed-By: root' } },
    ],
  ])('cannot be forged through %s', async (_name, options) => {
    const directory = await root();
    const store = storeAt('git', directory);
    await store.save('a', documentBytes('a', 'one'));
    await store.save('a', documentBytes('a', 'two'), options);
    const names = trailers(directory).map(line => line.split(':')[0]);
    expect(names[0]).toBe('Dash-Base-Revision');
    expect(names).not.toContain('Dash-Committed-By');
  });
});
