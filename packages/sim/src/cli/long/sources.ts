import { spawnSync } from 'node:child_process';

/** What plays no part in a run: the recorded pieces, and the pages made of them. */
const NO_SOURCES = [':(top,exclude)packages/sim/campaign', ':(top,exclude)docs'];
/** Appended to the commit of sources that differ from it. */
const CHANGED = ' with changes';

/** The commit of the sources; marked if they differ from it. */
export function commitOfSources(): string {
  const commit = git('rev-parse', 'HEAD');
  return git('status', '--porcelain', '--', ':(top)', ...NO_SOURCES) === '' ? commit : commit + CHANGED;
}

/** Whether the sources are exactly those of a commit. */
export function isCommitted(commit: string): boolean {
  return commit !== '' && !commit.endsWith(CHANGED);
}

function git(...args: string[]): string {
  const { stdout, status } = spawnSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
}
