import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { git, temporaryRoots } from '../store/stores.ts';
import type { Outcome } from './console.ts';

const root = temporaryRoots();

describe('the binary', () => {
  const bin = fileURLToPath(new URL('../../bin/dashdoc.js', import.meta.url));
  const start = async (...words: string[]): Promise<Outcome> => {
    try {
      return { status: 0, ...(await promisify(execFile)(process.execPath, [bin, ...words])) };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { status: code, stdout, stderr };
    }
  };

  it('commits to a git store, and keeps stdout clean on failure', async () => {
    const directory = await root();
    const flags = ['--store', 'git', '--root', directory];
    const done = await start('create', 'page', ...flags);
    expect(done).toMatchObject({ status: 0, stderr: '' });
    expect(done.stdout).toContain(git(directory, 'rev-parse', 'HEAD'));
    expect(await readdir(directory)).toEqual(['.git', 'page.json']);
    const unknown = await start('show', 'nobody', '--json', ...flags);
    expect(unknown).toMatchObject({ status: 1, stdout: '' });
    expect(JSON.parse(unknown.stderr)).toMatchObject({
      code: 'STORAGE_NOT_FOUND',
      details: { id: 'nobody' },
    });
    const usage = await start('list', '--json', '--colour');
    expect(usage).toMatchObject({ status: 2, stdout: '' });
    expect(JSON.parse(usage.stderr).code).toBe('CLI_INVALID');
  });
});
