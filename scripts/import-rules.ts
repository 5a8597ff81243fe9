import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** Which packages of ours a package may import. A package that is not listed fails the check. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  '@msg/protocol': [],
  '@msg/redis': [],
  '@msg/engine': ['@msg/protocol', '@msg/redis'],
  '@msg/core': [],
  '@msg/server': ['@msg/engine', '@msg/redis', '@msg/core'],
  '@msg/client': ['@msg/core'],
  '@msg/codegen': ['@msg/core'],
  '@msg/console': ['@msg/core'],
  '@msg/dash': [],
  '@msg/testkit': ['@msg/protocol', '@msg/engine', '@msg/core', '@msg/server'],
};

/** Packages that must run in a browser: no Node built-ins in their sources. */
const BROWSER_SAFE = ['@msg/protocol', '@msg/core', '@msg/client'];

/** The wall inside the server: client commands know the RPC, not the service. `serve` loads it on demand. */
const CLI_ROOM = 'packages/server/src/cli/';
const CLI_MAY_REACH = [CLI_ROOM, 'packages/server/src/config/'];

const IMPORT =
  /^\s*(?:import|export)\s+(?<type>type\s)?[^'"`;]*?\bfrom\s*['"](?<from>[^'"]+)['"]|^\s*import\s*['"](?<bare>[^'"]+)['"]|\bimport\(\s*['"](?<lazy>[^'"]+)['"]\s*\)/gm;

interface Import {
  readonly specifier: string;
  /** Erased when the program runs. */
  readonly typeOnly: boolean;
  /** Loaded on demand: part of no import cycle, and allowed through the wall of the command line. */
  readonly lazy: boolean;
}

function importsOf(source: string): Import[] {
  return [...source.matchAll(IMPORT)].map(({ groups = {} }) => ({
    specifier: groups['from'] ?? groups['bare'] ?? groups['lazy'] ?? '',
    typeOnly: groups['type'] !== undefined,
    lazy: groups['lazy'] !== undefined,
  }));
}

interface SourceFile {
  /** Relative to the root. */
  readonly path: string;
  readonly packageName: string;
  readonly imports: readonly Import[];
}

function readSources(root: string): SourceFile[] {
  const files: SourceFile[] = [];
  for (const folder of readdirSync(join(root, 'packages'))) {
    const home = join(root, 'packages', folder);
    const { name } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { name: string };
    for (const entry of readdirSync(join(home, 'src'), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.m?ts$/.test(entry.name)) continue;
      const path = join(entry.parentPath, entry.name);
      files.push({
        path: relative(root, path),
        packageName: name,
        imports: importsOf(readFileSync(path, 'utf8')),
      });
    }
  }
  return files;
}

function packageOf(specifier: string): string | null {
  return /^@msg\/[^/]+/.exec(specifier)?.[0] ?? null;
}

/** The file in the same package that an import means, relative to the root; null for other packages. */
function target(file: SourceFile, specifier: string): string | null {
  if (specifier.startsWith('.')) return relative('.', resolve(dirname(file.path), specifier));
  if (!specifier.startsWith('#src/')) return null;
  return join(file.path.split('/').slice(0, 2).join('/'), 'src', specifier.slice('#src/'.length));
}

function directionFaults(file: SourceFile): string[] {
  const allowed = MAY_IMPORT[file.packageName];
  if (allowed === undefined) return [`${file.path}: ${file.packageName} is not in the import table`];
  const faults: string[] = [];
  for (const { specifier } of file.imports) {
    const imported = packageOf(specifier);
    if (imported !== null && imported !== file.packageName && !allowed.includes(imported)) {
      faults.push(`${file.path}: ${file.packageName} must not import ${imported}`);
    }
    if (specifier.startsWith('node:') && BROWSER_SAFE.includes(file.packageName)) {
      faults.push(`${file.path}: ${file.packageName} runs in browsers and must not import ${specifier}`);
    }
    const reached = target(file, specifier);
    if (reached?.startsWith('..') || (reached !== null && !reached.startsWith(dirOfPackage(file)))) {
      faults.push(`${file.path}: ${specifier} leaves the package`);
    }
  }
  return faults;
}

function dirOfPackage(file: SourceFile): string {
  return `${file.path.split('/').slice(0, 3).join('/')}/`;
}

function wallFaults(file: SourceFile): string[] {
  if (!file.path.startsWith(CLI_ROOM)) return [];
  const faults: string[] = [];
  for (const { specifier, lazy } of file.imports) {
    if (lazy) continue;
    const reached = target(file, specifier);
    const outside = reached !== null && !CLI_MAY_REACH.some(room => reached.startsWith(room));
    const service = packageOf(specifier);
    if (outside || (service !== null && service !== '@msg/core')) {
      faults.push(`${file.path}: the command line reaches ${specifier} other than through the RPC`);
    }
  }
  return faults;
}

/** Cycles among files through imports that exist when the program runs. */
function cycles(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map(file => [file.path, file]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      found.push(`import cycle: ${[...trail.slice(start), path].join(' → ')}`);
      return;
    }
    const file = byPath.get(path);
    if (file === undefined || done.has(path)) return;
    for (const { specifier, typeOnly, lazy } of file.imports) {
      const next = typeOnly || lazy ? null : target(file, specifier);
      if (next !== null) visit(next, [...trail, path]);
    }
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return found;
}

/** Every import below `<root>/packages` that breaks a rule of the house, one line each. */
export function findImportFaults(root: string): string[] {
  const files = readSources(root);
  return [...files.flatMap(directionFaults), ...files.flatMap(wallFaults), ...cycles(files)];
}
