import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { eventually } from '@msg/testkit';
import { describe, expect, it } from 'vitest';
import { Git } from '#src/store/git-command.ts';
import { GitReader } from '#src/store/git-reader.ts';
import { documentBytes, git, storeAt, temporaryRoots } from './stores.ts';

const root = temporaryRoots();

/** A repository with documents `a` and `b`, and a git program that writes its process number for each start. */
async function repository() {
  const directory = await root();
  for (const id of ['a', 'b']) await storeAt('git', directory).save(id, documentBytes(id, id));
  const [program, log] = [join(directory, '.git', 'logging-git'), join(directory, '.git', 'starts')];
  await writeFile(program, `#!/bin/sh\necho $$ >> '${log}'\nexec git "$@"\n`);
  await chmod(program, 0o755);
  const starts = async () => (await readFile(log, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  return { directory, program, starts };
}

describe('reading through one git process', () => {
  it('answers many questions at once in their order, missing objects too', async () => {
    const { directory, program, starts } = await repository();
    const reader = new GitReader(new Git(directory, program), systemClock);
    const names = Array.from(
      { length: 90 },
      (_, index) => ['HEAD:a.json', 'HEAD:b.json', 'HEAD:c'][index % 3],
    );
    const answers = await Promise.all(names.map(name => reader.contents(name ?? '')));
    for (const [index, answer] of answers.entries()) {
      const id = ['a', 'b', undefined][index % 3];
      expect(answer?.bytes).toEqual(id === undefined ? undefined : Buffer.from(documentBytes(id, id)));
    }
    expect(await reader.hashOf('HEAD^{commit}')).toBe(git(directory, 'rev-parse', 'HEAD'));
    expect(await starts()).toHaveLength(1);
  });

  it('starts another process when the first was killed', async () => {
    const { directory, program, starts } = await repository();
    const reader = new GitReader(new Git(directory, program), systemClock);
    await reader.hashOf('HEAD');
    process.kill(Number((await starts())[0]), 'SIGKILL');
    expect(await reader.hashOf('HEAD')).toBe(git(directory, 'rev-parse', 'HEAD'));
    expect(await starts()).toHaveLength(2);
  });

  it('ends the process after 30 s without a question and starts one for the next', async () => {
    const { directory, program, starts } = await repository();
    const clock = new ManualClock();
    const reader = new GitReader(new Git(directory, program), clock);
    await reader.hashOf('HEAD');
    const [pid] = await starts();
    await clock.advance(29_999);
    expect(() => process.kill(Number(pid), 0)).not.toThrow();
    await clock.advance(1);
    await eventually('the process has ended', () => {
      try {
        return !process.kill(Number(pid), 0);
      } catch {
        return true;
      }
    });
    expect(await reader.hashOf('HEAD')).toBe(git(directory, 'rev-parse', 'HEAD'));
    expect(await starts()).toHaveLength(2);
  });

  it('refuses a name of two lines, which would be two questions', async () => {
    const { directory } = await repository();
    const reader = new GitReader(new Git(directory), systemClock);
    await expect(reader.hashOf('HEAD:a\nb')).rejects.toThrow('line end');
  });
});
