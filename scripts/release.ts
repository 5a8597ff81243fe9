// npm run release -- <version>: checks, versions, change log, tarballs in .tmp/release/<version>, commit and tag. Nothing is
// pushed or published: the last lines say how. A step that fails leaves the tree as it was.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { packAll, repositoryOf } from './pack.ts';
import { allPackages, publicPackages, readManifest } from './packages.ts';
import { addressFault, releasedChangelog, versionFault, withVersion } from './release-steps.ts';

const [version = ''] = process.argv.slice(2);
const tag = `v${version}`;
const folders = publicPackages('.');
const released = new Set(folders.map(folder => readManifest('.', folder).name));
const tarballs = resolve('.tmp/release', version);

const run = (command: string, ...args: string[]): void => {
  execFileSync(command, args, { stdio: 'inherit' });
};
const output = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { encoding: 'utf8' });

function refuse(problem: string): never {
  console.error(`release: ${problem}`);
  process.exit(2);
}

function requireReady(): void {
  const { version: current = '' } = readJson(`${folders[0]}/package.json`);
  const fault = versionFault(version, current) ?? addressFault(repositoryOf('.').address);
  if (fault !== undefined) refuse(fault);
  if (output('git', 'status', '--porcelain') !== '') refuse('the tree has changes that are not committed');
  if (output('git', 'tag', '--list', tag) !== '') refuse(`tag ${tag} is already used`);
}

interface Manifest {
  name?: string;
  version?: string;
  packages?: Record<string, Manifest>;
  [member: string]: unknown;
}

const readJson = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8')) as Manifest; // ours, or npm's
const writeJson = (path: string, value: Manifest): void =>
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);

/** The new version in all manifests and in the lock file, whose other entries stay as they are. */
function writeVersions(): void {
  const lock = readJson('package-lock.json');
  for (const folder of allPackages('.')) {
    const path = `${folder}/package.json`;
    writeJson(path, withVersion(readJson(path), released, version));
    const entry = lock.packages?.[folder];
    if (entry !== undefined && lock.packages !== undefined)
      lock.packages[folder] = withVersion(entry, released, version);
  }
  writeJson('package-lock.json', lock);
}

/** Packs what the tag will hold; the version that programs report stands in the built files only. */
function pack(): void {
  rmSync(tarballs, { recursive: true, force: true });
  mkdirSync(tarballs, { recursive: true });
  run('node', 'scripts/set-version.ts', tag);
  run('npm', 'run', '--silent', 'build');
  packAll('.', tarballs);
  run('git', 'restore', 'packages/server/src/config/version.ts');
}

requireReady();
run('npm', 'run', '--silent', 'check');
try {
  writeVersions();
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync('CHANGELOG.md', releasedChangelog(readFileSync('CHANGELOG.md', 'utf8'), version, date));
  pack();
  run('git', 'commit', '--quiet', '--all', '--message', `Release ${version}`);
  run('git', 'tag', '--annotate', tag, '--message', `Release ${version}`);
} catch (error) {
  run('git', 'restore', '.');
  throw error;
}
console.log(
  `\nRelease ${version} is committed and tagged; its ${folders.length} tarballs are in ${tarballs}.`,
);
console.log(`To publish: git push --follow-tags, then npm publish <tarball> for each.`);
