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
      const first = await patch('first');
      const second = await patch('second');
      // A commit of another file moves the branch: the newest commit of the document is looked up again.
      await writeFile(join(documents, 'other'), 'x');
      git(documents, 'add', 'other');
      git(documents, 'commit', '-qm', 'Other');
      const third = await patch('third');
      expect(first).toBeGreaterThan(0);
      expect(Math.max(first, second, third)).toBeLessThanOrEqual(9);
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

  it('is read without a git process while the branch stays, and by one after it moved', async () => {
    const { env, flags, starts, documents } = await counted();
    const serving = await Serving.start(flags, env);
    try {
      const reads = ['/api/d/team-pulse/tree', '/api/dashboards', '/d/team-pulse'];
      const read = async (path: string): Promise<number> => {
        await (await fetch(`${serving.url}${path}`)).text();
        return (await starts()).length;
      };
      await read(reads[0] as string);
      for (const path of reads) expect(await read(path)).toBe(0);
      await writeFile(join(documents, 'other'), 'x');
      git(documents, 'add', 'other');
      git(documents, 'commit', '-qm', 'Other');
      expect(await read(reads[0] as string)).toBe(1);
      expect(await read('/api/d/team-pulse/history')).toBe(1);
    } finally {
      await serving.stop();
    }
  }, 60_000);

  it('takes fifty commits at once without a base, each answered 200 and none lost', async () => {
    const { env, flags, documents } = await counted();
    const serving = await Serving.start(flags, env);
    try {
      const names = Array.from({ length: 50 }, (_, index) => `v${index}`);
      const answers = await Promise.all(
        names.map(name =>
          post(`${serving.url}/api/patch`, {
            id: 'team-pulse',
            ops: [{ op: 'add', path: '/$variables/-', value: { name, type: 'string', default: name } }],
          }),
        ),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ body }) => body.revision)).size).toBe(50);
      const stored = JSON.parse(await readFile(join(documents, 'team-pulse.json'), 'utf8'));
      const declared = new Set(stored.variables.map((variable: { name: string }) => variable.name));
      expect(names.every(name => declared.has(name))).toBe(true);
      expect(git(documents, 'rev-list', '--count', 'HEAD')).toBe('51');
      expect(git(documents, 'status', '--porcelain')).toBe('');
      git(documents, 'fsck', '--strict');
    } finally {
      await serving.stop();
    }
  }, 120_000);
});
