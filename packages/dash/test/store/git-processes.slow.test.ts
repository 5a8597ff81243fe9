import { execFile, execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { canonicalBytes } from '#src/document/canonical.ts';
import { teamPulse } from '../changeset/team-pulse.ts';
import { post, Serving } from '../http/serving.ts';
import { git, storeAt, temporaryRoots } from './stores.ts';

const BIN = fileURLToPath(new URL('../../bin/dashdoc.js', import.meta.url));
const root = temporaryRoots();

/** A repository with one document, and a search path on which each start of git leaves a line. */
async function counted() {
  const directory = await root();
  const documents = join(directory, 'documents');
  const programs = join(directory, 'programs');
  await mkdir(documents);
  await mkdir(programs);
  const log = join(directory, 'log');
  const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  await writeFile(join(programs, 'git'), `#!/bin/sh\necho "$*" >> '${log}'\nexec '${real}' "$@"\n`);
  await chmod(join(programs, 'git'), 0o755);
  await storeAt('git', documents).save('team-pulse', canonicalBytes(teamPulse()));
  const starts = async (): Promise<string[]> => {
    const lines = (await readFile(log, 'utf8').catch(() => '')).split('\n').filter(Boolean);
    await writeFile(log, '');
    return lines;
  };
  return {
    documents,
    starts,
    env: { PATH: `${programs}:${process.env['PATH']}` },
    flags: ['--store', 'git', '--root', documents],
  };
}

const replace = (value: string) => [{ op: 'replace', path: '/scores/config/title', value }];

describe('a replace on the git store', () => {
  it('starts at most nine git processes over HTTP, however the store was warmed', async () => {
    const { env, flags, starts, documents } = await counted();
    const serving = await Serving.start(flags, env);
    try {
      const patch = async (value: string): Promise<number> => {
        const { status } = await post(`${serving.url}/api/patch`, { id: 'team-pulse', ops: replace(value) });
        expect(status).toBe(200);
        return (await starts()).length;
      };
      await patch('first');
      const second = await patch('second');
      // A commit of another file moves the branch: the newest commit of the document is looked up again.
      await writeFile(join(documents, 'other'), 'x');
      git(documents, 'add', 'other');
      git(documents, 'commit', '-qm', 'Other');
      const third = await patch('third');
      expect(second).toBeGreaterThan(0);
      expect(Math.max(second, third)).toBeLessThanOrEqual(9);
    } finally {
      await serving.stop();
    }
  }, 60_000);

  it('starts at most ten by a fresh dashdoc patch', async () => {
    const { env, flags, starts, documents } = await counted();
    const run = promisify(execFile)(
      process.execPath,
      [BIN, 'patch', 'team-pulse', '--changeset', '-', ...flags],
      { env: { ...process.env, ...env } },
    );
    run.child.stdin?.end(JSON.stringify(replace('Title')));
    await run;
    const count = (await starts()).length;
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThanOrEqual(10);
    expect(git(documents, 'rev-list', '--count', 'HEAD')).toBe('2');
  }, 60_000);

  it('is read by one git process while the branch stays where it is', async () => {
    const { env, flags, starts } = await counted();
    const serving = await Serving.start(flags, env);
    try {
      const read = async (): Promise<number> => {
        await (await fetch(`${serving.url}/api/d/team-pulse/tree`)).text();
        return (await starts()).length;
      };
      await read();
      expect(await read()).toBe(1);
    } finally {
      await serving.stop();
    }
  }, 60_000);
});
