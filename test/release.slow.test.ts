import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publicPackages } from '../scripts/packages.ts';
import { CheckoutCopy } from './support/checkout-copy.ts';

describe('npm run release, in a copy', () => {
  let checkout: CheckoutCopy;
  let copy: string;
  const git = (...args: string[]): string => checkout.git(...args);
  const release = (version: string) =>
    spawnSync('npm', ['run', '--silent', 'release', '--', version], { cwd: copy, encoding: 'utf8' });
  const json = (path: string) => JSON.parse(readFileSync(join(copy, path), 'utf8'));

  /** The checks have tests of their own: here they only pass or fail. */
  function commitChecks(command: string, repository = 'https://git.msg.test/msg'): void {
    const manifest = json('package.json');
    writeFileSync(
      join(copy, 'package.json'),
      `${JSON.stringify({ ...manifest, repository, scripts: { ...manifest.scripts, check: command } }, null, 2)}\n`,
    );
    git('commit', '--quiet', '--all', '--message', `checks: ${command}`);
  }

  beforeAll(() => {
    checkout = new CheckoutCopy('release', { isBuilt: true });
    copy = checkout.root;
    commitChecks('true');
  });
  afterAll(() => checkout.remove());

  it('packs, commits and tags one version of all packages', { timeout: 300_000 }, () => {
    const { status, stderr } = release('0.2.0');
    expect(stderr).not.toMatch(/error/i);
    expect(status).toBe(0);
    expect(git('status', '--porcelain')).toBe('');
    expect(git('tag', '--points-at', 'HEAD').trim()).toBe('v0.2.0');
    expect(readFileSync(join(copy, 'CHANGELOG.md'), 'utf8')).toMatch(
      /\n## Unreleased\n\n## 0\.2\.0 - \d{4}-\d\d-\d\d\n/,
    );
    expect(json('packages/server/package.json')).toMatchObject({
      version: '0.2.0',
      dependencies: { '@msg/engine': '0.2.0' },
    });
    expect(json('package-lock.json').packages['packages/server']).toMatchObject({
      version: '0.2.0',
      dependencies: { '@msg/engine': '0.2.0' },
    });
    const folder = join(copy, '.tmp/release/0.2.0');
    const tarballs = readdirSync(folder);
    expect(tarballs).toHaveLength(publicPackages('.').length);
    const file = join(folder, tarballs.find(name => name.includes('server')) ?? '');
    const version = execFileSync('tar', ['-xOf', file, 'package/dist/config/version.js'], {
      encoding: 'utf8',
    });
    expect(version).toContain("'v0.2.0'");
  });

  it('refuses a version that is not above, and a tree with changes', { timeout: 60_000 }, () => {
    expect(release('0.2.0').stderr).toContain('version must be above 0.2.0; got 0.2.0');
    expect(release('next').stderr).toContain('version must be <major>.<minor>.<patch>; got "next"');
    writeFileSync(join(copy, 'README.md'), 'changed');
    expect(release('0.3.0').stderr).toContain('not committed');
    git('restore', '.');
  });

  it('refuses an address of the repository that is only an example', { timeout: 60_000 }, () => {
    commitChecks('true', 'https://git.example.com/msg/msg');
    expect(release('0.3.0').stderr).toContain(
      '"repository" of package.json must be the https address of the repository; got "https://git.example.com/msg/msg"',
    );
  });

  it('leaves nothing when a check fails', { timeout: 60_000 }, () => {
    commitChecks('false');
    const head = git('rev-parse', 'HEAD');
    expect(release('0.3.0').status).not.toBe(0);
    expect(git('rev-parse', 'HEAD')).toBe(head);
    expect(git('status', '--porcelain') + git('tag', '--list', 'v0.3.0')).toBe('');
  });
});
