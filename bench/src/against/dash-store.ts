import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { measureInTurns } from '../comparison.ts';
import { median } from '../statistics.ts';
import type { Comparison } from './main.ts';
import { ratioLine } from './ratio.ts';
import type { Tree } from './tree.ts';

const PROGRAM = 'packages/dash/bin/dashdoc.js';
const ID = 'bench';

/** Milliseconds of one commit through HTTP, and of one `git add` and `git commit` of the same bytes. */
interface Sample {
  readonly commitMs: number;
  readonly gitMs: number;
}

/** Commits of one field after another, by `dashdoc serve` of each checkout on a git store, beside a loop of git. */
export const dashStore: Comparison = async (now, before, { pairs, sliceMs }) => {
  const measured = await measureInTurns(
    pairs,
    () => sample(now, sliceMs),
    () => sample(before, sliceMs),
  );
  console.log(`  ${ratioLine(measured, { name: 'commit, ms', of: ({ commitMs }) => commitMs, digits: 1 })}`);
  const speed = median(measured.map(({ engine, baseline }) => baseline.commitMs / engine.commitMs));
  const loop = median(measured.map(({ engine }) => engine.gitMs / engine.commitMs));
  console.log(
    `  commits per second: ${speed.toFixed(2)} x the old (bar 4), ${loop.toFixed(2)} x git (bar 1)`,
  );
};

async function sample(tree: Tree, sliceMs: number): Promise<Sample> {
  const root = mkdtempSync(join(tmpdir(), 'msg-bench-store-'));
  try {
    prepare(root);
    const commitMs = await withServer(tree, root, async patch => {
      await repeat(sliceMs / 4, patch); // until the code is compiled
      return repeat(sliceMs, patch);
    });
    return { commitMs, gitMs: await repeat(sliceMs, number => commitByGit(root, number)) };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** A repository with a document of 50 nodes. */
function prepare(root: string): void {
  git(root, 'init', '-q');
  git(root, 'config', 'user.name', 'bench');
  git(root, 'config', 'user.email', 'bench@localhost');
  const blocks = Array.from({ length: 24 }, (_, at) => ({
    id: `block-${at}`,
    type: 'block',
    config: {
      title: `Block ${at}`,
      content: { id: `leaf-${at}`, type: 'heading', config: { text: `Text ${at}`, level: 2 } },
    },
  }));
  const body = { id: 'body', type: 'container', children: blocks };
  const document = {
    manifest: { formatVersion: '1.0.0', id: ID },
    root: { id: 'page', type: 'container', children: [body] },
  };
  writeFileSync(join(root, `${ID}.json`), `${JSON.stringify(document, undefined, 2)}\n`);
  git(root, 'add', '.');
  git(root, 'commit', '-qm', 'start');
}

async function withServer<T>(
  tree: Tree,
  root: string,
  use: (patch: (number: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  const args = [join(tree.root, PROGRAM), 'serve', '--store', 'git', '--root', root, '--port', '0'];
  const child = spawn(process.execPath, args, {
    cwd: tree.root,
    env: { ...process.env, NODE_OPTIONS: '--conditions=msg-source' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const url = / on (http:\S+)$/.exec(line)?.[1] ?? '';
    return await use(async number => {
      const ops = [{ op: 'replace', path: '/leaf-0/config/text', value: `changed ${number}` }];
      const body = JSON.stringify({ id: ID, ops });
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${url}/api/patch`, { method: 'POST', headers, body });
      if (answer.status !== 200) throw new Error(await answer.text());
      await answer.arrayBuffer();
    });
  } finally {
    const ended = once(child, 'close');
    child.kill();
    await ended;
  }
}

/** Milliseconds of one run of `once`, over at least so long. */
async function repeat(ms: number, run: (number: number) => void | Promise<void>): Promise<number> {
  const start = performance.now();
  let count = 0;
  while (performance.now() - start < ms) {
    count++;
    await run(count);
  }
  return (performance.now() - start) / count;
}

function commitByGit(root: string, number: number): void {
  writeFileSync(join(root, 'loop.json'), `${'x'.repeat(8_000)}${number}\n`);
  git(root, 'add', 'loop.json');
  git(root, 'commit', '-qm', `Save ${number}`);
}

function git(root: string, ...args: string[]): void {
  execFileSync('git', args, { cwd: root, stdio: 'ignore' });
}
