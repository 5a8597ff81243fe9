import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A checkout whose programs are measured. */
export interface Tree {
  /** Absolute path. */
  readonly root: string;
  /** What the figures call it. */
  readonly name: string;
}

/** Written into a checkout when its dependencies are complete. */
const READY = 'node_modules/.bench-ready';

function git(root: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

/**
 * A commit checked out beside the working tree, in `.tmp/against/<commit>` of it, with its dependencies. What an earlier
 * run left there is used again.
 * @throws Error for a ref that names no commit.
 */
export function checkOut(root: string, ref: string): Tree {
  const commit = git(root, 'rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`);
  const tree = { root: join(root, '.tmp', 'against', commit.slice(0, 12)), name: commit.slice(0, 7) };
  if (!existsSync(tree.root)) {
    git(root, 'worktree', 'prune'); // forgets checkouts that were deleted by hand
    git(root, 'worktree', 'add', '--quiet', '--detach', tree.root, commit);
  }
  if (!existsSync(join(tree.root, READY))) {
    install(root, tree.root);
    writeFileSync(join(tree.root, READY), '');
  }
  addSubjects(root, tree.root);
  return tree;
}

/** The working tree's own packages where the lock file is the same; else what `npm ci` makes of the other one. */
function install(root: string, other: string): void {
  const lock = (folder: string): string => readFileSync(join(folder, 'package-lock.json'), 'utf8');
  if (lock(root) !== lock(other)) {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], {
      cwd: other,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return;
  }
  const { workspaces = [] } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    workspaces?: readonly string[];
  };
  for (const folder of ['', ...workspaces]) {
    const modules = join(root, folder, 'node_modules');
    // Hard links to the files. Links to workspaces are relative: in the copy they lead to the packages of the copy.
    if (existsSync(modules)) execFileSync('cp', ['-al', modules, join(other, folder, 'node_modules')]);
  }
}

const SUBJECTS = 'bench/src/subjects';

/**
 * A commit from before there was a subject gets the subject's first version: it is written in the names that the code had
 * then. A subject that no commit has yet is taken as it is.
 */
function addSubjects(root: string, other: string): void {
  for (const file of readdirSync(join(root, SUBJECTS))) {
    const path = join(SUBJECTS, file);
    if (existsSync(join(other, path))) continue;
    const commits = git(root, 'log', '--diff-filter=A', '--format=%H', '--', path).split('\n');
    const first = commits.at(-1) ?? '';
    mkdirSync(join(other, SUBJECTS), { recursive: true });
    if (first === '') copyFileSync(join(root, path), join(other, path));
    else {
      const text = execFileSync('git', ['show', `${first}:${path}`], { cwd: root, encoding: 'utf8' });
      writeFileSync(join(other, path), withoutDistricts(text, other));
    }
  }
}

/** Imports as they were before the server's rooms for tokens and keys moved into the district `auth`. */
function withoutDistricts(text: string, other: string): string {
  const auth = 'packages/server/src/auth/';
  return existsSync(join(other, auth)) ? text : text.replaceAll(auth, 'packages/server/src/');
}
