import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, it } from 'vitest';
import { GitBranch } from '#src/store/git-branch.ts';
import { Git } from '#src/store/git-command.ts';
import { GitStore } from '#src/store/git-store.ts';
import { documentBytes, git, storeAt, temporaryRoots } from './stores.ts';

const root = temporaryRoots();

/** A repository with three commits, and a git program that writes the number of each process and its command. */
async function repository() {
  const directory = await root();
  for (const text of ['one', 'two', 'three'])
    await storeAt('git', directory).save('a', documentBytes('a', text));
  const [third = '', second = '', first = ''] = git(directory, 'log', '--format=%H').split('\n');
  const [program, log] = [join(directory, '.git', 'logging-git'), join(directory, '.git', 'starts')];
  await writeFile(
    program,
    `#!/bin/sh\nfor a; do [ "$a" = update-ref ] && echo $$ >> '${log}'; done\nexec git "$@"\n`,
  );
  await chmod(program, 0o755);
  const starts = async () => (await readFile(log, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  const reflog = (): string[] => git(directory, 'reflog', '--format=%gs %gd', '--date=unix').split('\n');
  return { directory, program, starts, reflog, commits: [first, second, third] as const };
}

describe('moving the branch', () => {
  it('takes one process for a second, and another for another subject and for later', async () => {
    const { directory, program, starts, reflog, commits } = await repository();
    const [first, second, third] = commits;
    const clock = new ManualClock();
    const branch = new GitBranch(new Git(directory, program), clock);
    await branch.move(third, second, 'Back');
    await branch.move(second, first, 'Back');
    expect(await starts()).toHaveLength(1);
    await branch.move(first, second, 'Forth');
    expect(await starts()).toHaveLength(2);
    await clock.advance(1_001);
    await branch.move(second, third, 'Forth');
    expect(await starts()).toHaveLength(3);
    expect(git(directory, 'rev-parse', 'HEAD')).toBe(third);
    expect(
      reflog()
        .slice(0, 4)
        .map(line => line.split(' ')[0]),
    ).toEqual(['Forth', 'Forth', 'Back', 'Back']);
  });

  it('fails for a branch that is elsewhere, and works again after it', async () => {
    const { directory, program, commits } = await repository();
    const [first, second, third] = commits;
    const branch = new GitBranch(new Git(directory, program), systemClock);
    await expect(branch.move(second, first, 'Back')).rejects.toThrow(/cannot lock ref/);
    expect(git(directory, 'rev-parse', 'HEAD')).toBe(third);
    await branch.move(third, second, 'Back');
    expect(git(directory, 'rev-parse', 'HEAD')).toBe(second);
  });

  it('goes on after its process was killed, and a commit that was moved to is not made twice', async () => {
    const { directory, program, starts } = await repository();
    const store = new GitStore({ root: directory, program });
    await store.save('a', documentBytes('a', 'four'), { message: 'Same' });
    process.kill(Number((await starts()).at(-1)), 'SIGKILL');
    const revision = await store.save('a', documentBytes('a', 'five'), { message: 'Same' });
    expect(git(directory, 'rev-parse', 'HEAD')).toBe(revision);
    // The process moves the branch, and dies before it says so.
    const dying = join(directory, '.git', 'dying-git');
    await writeFile(
      dying,
      '#!/bin/sh\nfor a; do [ "$a" = update-ref ] && { head -n 4 | git "$@" > /dev/null; exit 1; }; done\nexec git "$@"\n',
    );
    await chmod(dying, 0o755);
    const last = await new GitStore({ root: directory, program: dying }).save('a', documentBytes('a', 'six'));
    expect(git(directory, 'rev-parse', 'HEAD')).toBe(last);
    expect(git(directory, 'rev-list', '--count', 'HEAD')).toBe('6');
  });

  it('writes subject and time of each commit into the reflog', async () => {
    const { directory, reflog } = await repository();
    const store = storeAt('git', directory);
    const before = Math.floor(Date.now() / 1_000);
    for (const [at, message] of ['One', 'One', 'Two'].entries())
      await store.save('a', documentBytes('a', `text ${at}`), { message });
    const lines = reflog().slice(0, 3);
    expect(lines.map(line => line.split(' ')[0])).toEqual(['Two', 'One', 'One']);
    for (const line of lines) expect(Number(/\{(\d+)\}/.exec(line)?.[1])).toBeGreaterThanOrEqual(before);
  });

  it.each(['packed references', 'a linked work tree', 'a repository that borrows objects', 'no branch'])(
    'works with %s',
    async kind => {
      const { directory } = await repository();
      const other = join(await root(), 'other');
      if (kind === 'packed references') git(directory, 'pack-refs', '--all');
      if (kind === 'no branch') git(directory, 'checkout', '-q', '--detach');
      if (kind === 'a linked work tree') git(directory, 'worktree', 'add', '-q', '-b', 'side', other);
      if (kind === 'a repository that borrows objects') {
        await mkdir(other);
        git(other, 'clone', '-q', '--shared', directory, '.');
      }
      const at = ['a linked work tree', 'a repository that borrows objects'].includes(kind)
        ? other
        : directory;
      const store = storeAt('git', at);
      for (const text of ['x', 'y']) {
        const revision = await store.save('a', documentBytes('a', text));
        expect(git(at, 'rev-parse', 'HEAD')).toBe(revision);
      }
      expect(git(at, 'status', '--porcelain')).toBe('');
      expect(git(at, 'rev-list', '--count', 'HEAD')).toBe('5');
      git(at, 'fsck', '--strict');
    },
  );
});
