import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ratioLine } from '../bench/src/against/ratio.ts';
import { checkOut } from '../bench/src/against/tree.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'against-'));
  git('init', '-q');
  git('config', 'user.name', 'test');
  git('config', 'user.email', 'test@localhost');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

function commit(files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  git('add', '-A');
  git('commit', '-q', '-m', 'a change');
  return git('rev-parse', 'HEAD');
}

const SUBJECTS = 'bench/src/subjects';
const PACKAGE = JSON.stringify({ name: 'house', version: '1.0.0', workspaces: ['a'] });
const LOCK = JSON.stringify({
  name: 'house',
  version: '1.0.0',
  lockfileVersion: 3,
  packages: {
    '': { name: 'house', version: '1.0.0', workspaces: ['a'] },
    'node_modules/a': { resolved: 'a', link: true },
    a: { version: '1.0.0' },
  },
});

/** A house with one package, before there were subjects. */
function firstCommit(): string {
  const first = commit({
    '.gitignore': 'node_modules\n.tmp\n',
    'package.json': PACKAGE,
    'package-lock.json': LOCK,
    'a/package.json': JSON.stringify({ name: 'a', version: '1.0.0' }),
    'a/index.js': 'old',
  });
  mkdirSync(join(root, SUBJECTS), { recursive: true });
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true });
  symlinkSync('../a', join(root, 'node_modules/a'));
  return first;
}

describe('a checkout to compare with', () => {
  it('has the code of its commit, and packages that lead to that code', () => {
    firstCommit();
    commit({ 'a/index.js': 'new', [`${SUBJECTS}/operation.ts`]: 'first' });
    const tree = checkOut(root, 'HEAD~1');
    expect(readFileSync(join(tree.root, 'node_modules/a/index.js'), 'utf8')).toBe('old');
    expect(readFileSync(join(root, 'node_modules/a/index.js'), 'utf8')).toBe('new');
  });

  it('from before there were subjects gets their first version, a later one keeps its own', () => {
    firstCommit();
    commit({ [`${SUBJECTS}/operation.ts`]: 'first' });
    commit({ [`${SUBJECTS}/operation.ts`]: 'second' });
    commit({ [`${SUBJECTS}/operation.ts`]: 'third' });
    const subject = (ref: string) =>
      readFileSync(join(checkOut(root, ref).root, SUBJECTS, 'operation.ts'), 'utf8');
    expect(subject('HEAD~3')).toBe('first');
    expect(subject('HEAD~1')).toBe('second');
  });

  it('with another lock file gets what that one says', () => {
    const old = firstCommit();
    commit({
      'package-lock.json': LOCK.replace('"version":"1.0.0","workspaces"', '"version":"1.0.1","workspaces"'),
    });
    writeFileSync(join(root, 'node_modules/only-here'), '');
    const tree = checkOut(root, old);
    expect(existsSync(join(tree.root, 'node_modules/a/index.js'))).toBe(true);
    expect(existsSync(join(tree.root, 'node_modules/only-here'))).toBe(false);
  });

  it('is used again', () => {
    firstCommit();
    const { root: place } = checkOut(root, 'HEAD');
    const before = statSync(join(place, 'node_modules/.bench-ready')).mtimeMs;
    expect(statSync(join(checkOut(root, 'HEAD').root, 'node_modules/.bench-ready')).mtimeMs).toBe(before);
  });

  it('is refused for a ref that names no commit', () => {
    firstCommit();
    expect(() => checkOut(root, 'no-such-ref')).toThrow();
    expect(() => checkOut(root, '--help')).toThrow();
  });
});

describe('a line of the comparison', () => {
  const cost = { name: 'CPU, µs', of: (sample: number) => sample, digits: 1 };
  const pairs = (...ratios: number[]) => ratios.map(ratio => ({ engine: 100 * ratio, baseline: 100 }));

  it('has the medians of both sides and of new ÷ old, with their spread', () => {
    expect(ratioLine(pairs(0.9, 1, 0.95), cost)).toBe(
      'CPU, µs: new 95.0 (90.0–100.0), old 100.0 (100.0–100.0), new ÷ old 0.950 (0.900–1.000) over 3 pairs',
    );
  });

  it('says slower when the median is above 1.03 and no pair says otherwise', () => {
    expect(ratioLine(pairs(1.02, 1.04, 1.05), cost)).toContain('SLOWER');
    expect(ratioLine(pairs(0.99, 1.04, 1.05), cost)).not.toContain('SLOWER');
    expect(ratioLine(pairs(1.01, 1.02, 1.05), cost)).not.toContain('SLOWER');
  });
});
