import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startServer } from '../../support/server.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'msg-profiles-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('main and each thread write a CPU profile of their own', async () => {
  const server = await startServer({
    args: ['--threads', '2'],
    env: { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` },
  });
  await server.stop();
  const files = await readdir(folder);
  const ofProcess = files.filter(file => file.split('.')[3] === String(server.pid));
  expect(ofProcess.map(file => file.split('.')[4]).sort()).toEqual(['0', '1', '2']);
  for (const file of ofProcess) {
    const profile = JSON.parse(await readFile(join(folder, file), 'utf8')) as {
      nodes: { callFrame: { url: string } }[];
    };
    const isMain = file.split('.')[4] === '0';
    const urls = profile.nodes.map(({ callFrame }) => callFrame.url);
    expect(urls.some(url => url.includes('/server/src/cli/'))).toBe(isMain);
    expect(urls.some(url => url.includes('/server/src/'))).toBe(true);
  }
});
