// npm run pack -- <folder>: the tarballs of all published packages. Each is packed from a copy of what is built, so that
// the tree stays as it is and several runs do not disturb each other.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { publicPackages, readManifest } from './packages.ts';
import {
  isPublished,
  publishedManifest,
  type Repository,
  withAddresses,
  withoutComments,
  withoutMap,
  withVersion,
} from './published.ts';

/** What `npm pack --json` says of one package. */
interface PackReport {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Where the repository is read, by the root's `package.json`. */
export function repositoryOf(root: string): Repository {
  const { repository } = readManifest(root, '.');
  if (repository === undefined) throw new Error('package.json of the root has no "repository"');
  return {
    address: repository,
    isFolder: path => statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() ?? false,
  };
}

/** Runs `npm pack` in a folder without scripts. */
function npmPack(cwd: string, ...args: string[]): readonly PackReport[] {
  const output = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--loglevel=error', ...args], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  return Object.values(JSON.parse(output) as Record<string, PackReport>); // npm's: an array, or by name
}

/** Copies files of a package, as they are published and completed for the registry. */
function stage(root: string, folder: string, files: readonly { readonly path: string }[], to: string): void {
  const source = join(root, folder);
  const own = readManifest(root, folder);
  for (const { path } of files.filter(isPublished)) {
    const copy = join(to, path);
    mkdirSync(dirname(copy), { recursive: true });
    const file = join(source, path);
    if (!/\.(js|d\.ts)$/.test(path)) cpSync(file, copy);
    else {
      const script = withVersion(withoutMap(readFileSync(file, 'utf8')), own.version ?? '');
      writeFileSync(copy, script, { mode: statSync(file).mode });
    }
  }
  const repository = repositoryOf(root);
  const manifest = publishedManifest(own, folder, repository);
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const page = readFileSync(join(source, 'README.md'), 'utf8');
  writeFileSync(join(to, 'README.md'), withAddresses(withoutComments(page), folder, repository));
  cpSync(join(root, 'LICENSE'), join(to, 'LICENSE'));
}

/**
 * Packs every published package into a folder, from what is built.
 * @returns the tarball of each package, by its name
 */
export function packAll(root: string, destination: string): ReadonlyMap<string, string> {
  mkdirSync(destination, { recursive: true });
  const folders = publicPackages(root);
  const listed = npmPack(root, '--dry-run', ...folders.flatMap(folder => ['-w', folder]));
  const staging = mkdtempSync(join(tmpdir(), 'msg-staging-'));
  try {
    for (const folder of folders) {
      const { name } = readManifest(root, folder);
      const files = listed.find(report => report.name === name)?.files ?? [];
      stage(root, folder, files, join(staging, folder));
    }
    const staged = folders.map(folder => `./${folder}`);
    const packed = npmPack(staging, '--pack-destination', resolve(destination), ...staged);
    return new Map(packed.map(({ name, filename }) => [name, join(resolve(destination), filename)]));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const [destination] = process.argv.slice(2);
  if (destination === undefined) {
    console.error('usage: npm run pack -- <folder>');
    process.exit(2);
  }
  for (const file of packAll(resolve(import.meta.dirname, '..'), destination).values()) console.log(file);
}
