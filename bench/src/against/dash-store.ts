import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { measureInTurns } from '../comparison.ts';
import { spread } from '../statistics.ts';
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

/** So many commits in so many milliseconds. */
interface Run {
  readonly count: number;
  readonly ms: number;
}

/** Commits of one field after another, by `dashdoc serve` of each checkout on a git store, beside a loop of git. */
export const dashStore: Comparison = async (now, before, { pairs, sliceMs }) => {
  const measured = await measureInTurns(
    pairs,
    () => sample(now, sliceMs),
    () => sample(before, sliceMs),
  );
  console.log(`  ${ratioLine(measured, { name: 'commit, ms', of: ({ commitMs }) => commitMs, digits: 1 })}`);
  const speed = measured.map(({ engine, baseline }) => baseline.commitMs / engine.commitMs);
  const loop = measured.map(({ engine }) => engine.gitMs / engine.commitMs);
  console.log(
    `  commits per second: ${spread(speed, 2)} x the old (bar 4), ${spread(loop, 2)} x git (bar 1)`,
  );
};

/** Turns of a sample: commits and git one after the other, so that both meet the same machine. */
const TURNS = 4;

async function sample(tree: Tree, sliceMs: number): Promise<Sample> {
  const [root, other] = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'msg-bench-store-'))) as [string, string];
  try {
    prepare(root);
    prepare(other);
    return await withServer(tree, root, async patch => {
      await repeat(sliceMs, patch); // until the code is compiled
      const [commits, loops]: [Run[], Run[]] = [[], []];
      for (let turn = 0; turn < TURNS; turn++) {
        commits.push(await repeat(sliceMs / TURNS, patch));
        loops.push(await repeat(sliceMs / TURNS, number => commitByGit(other, number)));
      }
      return { commitMs: msOfOne(commits), gitMs: msOfOne(loops) };
    });
  } finally {
    for (const directory of [root, other]) rmSync(directory, { recursive: true, force: true });
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

let runs = 0;

/** Runs for at least so long. Each run in this process has a number of its own, so that each changes something. */
async function repeat(ms: number, run: (number: number) => void | Promise<void>): Promise<Run> {
  const start = performance.now();
  let count = 0;
  while (performance.now() - start < ms) {
    count++;
    await run(++runs);
  }
  return { count, ms: performance.now() - start };
}

function msOfOne(parts: readonly Run[]): number {
  const total = (of: (part: Run) => number): number => parts.reduce((sum, part) => sum + of(part), 0);
  return total(({ ms }) => ms) / total(({ count }) => count);
}

function commitByGit(root: string, number: number): void {
  writeFileSync(join(root, 'loop.json'), `${'x'.repeat(8_000)}${number}\n`);
  git(root, 'add', 'loop.json');
  git(root, 'commit', '-qm', `Save ${number}`);
}

function git(root: string, ...args: string[]): void {
  execFileSync('git', args, { cwd: root, stdio: 'ignore' });
}
