import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** Which packages of ours a package may import. A package that is not listed fails the check. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  '@msg/foundation': [],
  '@msg/protocol': [],
  '@msg/redis': ['@msg/foundation'],
  '@msg/engine': ['@msg/foundation', '@msg/protocol', '@msg/redis'],
  '@msg/core': ['@msg/foundation'],
  '@msg/command-line': ['@msg/foundation'],
  '@msg/server': ['@msg/foundation', '@msg/engine', '@msg/redis', '@msg/core', '@msg/command-line'],
  '@msg/client': ['@msg/foundation', '@msg/core'],
  '@msg/react': ['@msg/client'],
  '@msg/codegen': ['@msg/foundation', '@msg/core', '@msg/command-line'],
  'create-msg-app': [],
  '@msg/console': ['@msg/foundation', '@msg/core'],
  '@msg/dash': ['@msg/foundation', '@msg/command-line'],
  '@msg/testkit': ['@msg/foundation', '@msg/protocol', '@msg/engine', '@msg/core', '@msg/server'],
};

/** Packages that must run in a browser: no Node built-ins in their sources. */
const BROWSER_SAFE = ['@msg/foundation', '@msg/protocol', '@msg/core', '@msg/client', '@msg/react'];

/** The wall inside the server: client commands know the RPC, not the service. `cli/serve` is loaded on demand. */
const CLI_ROOM = 'packages/server/src/cli/';
const CLI_SERVE_ROOM = `${CLI_ROOM}serve/`;
/** A key for a configuration is made without a server. */
const API_KEY_TEXTS = 'packages/server/src/auth/api-keys/secret.ts';
const CLI_MAY_REACH = [CLI_ROOM, 'packages/server/src/config/', API_KEY_TEXTS];
const CLI_PACKAGES = ['@msg/foundation', '@msg/core', '@msg/command-line'];

/** What every room of dash stands on. */
const DASH_BASE = ['document', 'errors.ts'];
const DASH_CORE = [...DASH_BASE, 'expression', 'catalog', 'resolve', 'changeset', 'store', 'reads'];

/**
 * The room tables of ARCHITECTURE.md, by the folder of the package: a room is a folder of `src` or a file at its root,
 * with the rooms and single files that it may import, types included; `*` stands for all but the entry.
 */
export const ROOMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  dash: {
    document: [],
    // Messages show their input as `document` prints it.
    'errors.ts': ['document'],
    expression: DASH_BASE,
    catalog: DASH_BASE,
    resolve: [...DASH_BASE, 'catalog', 'expression'],
    store: DASH_BASE,
    changeset: [...DASH_BASE, 'catalog', 'store/contract.ts', 'store/stored-document.ts'],
    reads: [...DASH_BASE, 'store', 'catalog', 'resolve', 'changeset'],
    proposals: [...DASH_BASE, 'catalog/node-types.ts', 'changeset', 'store', 'reads'],
    data: [...DASH_BASE, 'resolve/tree.ts'],
    render: [...DASH_BASE, 'resolve/tree.ts', 'data/contract.ts'],
    web: [...DASH_CORE, 'data', 'render'],
    mcp: DASH_CORE,
    http: [...DASH_CORE, 'proposals', 'data', 'render', 'web'],
    cli: ['*'],
    'index.ts': ['*'],
  },
};

/** What a package shows to others: no file of it imports it. */
const ENTRIES = new Set(['index.ts', 'internal.ts']);

const IMPORT =
  /^\s*(?:import|export)\s+(?<type>type\s)?[^'"`;]*?\bfrom\s*['"](?<from>[^'"]+)['"]|^\s*import\s*['"](?<bare>[^'"]+)['"]|\bimport\(\s*['"](?<lazy>[^'"]+)['"]\s*\)/gm;

export interface Import {
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

export interface SourceFile {
  /** Relative to the root. */
  readonly path: string;
  readonly packageName: string;
  readonly imports: readonly Import[];
}

/** Every source file below `<root>/packages` with its imports. */
export function readSources(root: string): SourceFile[] {
  const files: SourceFile[] = [];
  for (const folder of readdirSync(join(root, 'packages'))) {
    const home = join(root, 'packages', folder);
    const { name } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { name: string };
    for (const entry of readdirSync(join(home, 'src'), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.m?tsx?$/.test(entry.name)) continue;
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
export function target(file: SourceFile, specifier: string): string | null {
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
  if (!file.path.startsWith(CLI_ROOM) || file.path.startsWith(CLI_SERVE_ROOM)) return [];
  const faults: string[] = [];
  for (const { specifier, lazy } of file.imports) {
    if (lazy) continue;
    const reached = target(file, specifier);
    const outside =
      reached !== null &&
      (!CLI_MAY_REACH.some(room => reached.startsWith(room)) || reached.startsWith(CLI_SERVE_ROOM));
    const service = packageOf(specifier);
    if (outside || (service !== null && !CLI_PACKAGES.includes(service))) {
      faults.push(`${file.path}: the command line reaches ${specifier} other than through the RPC`);
    }
  }
  return faults;
}

/** The rooms of packages: what each may import. */
export type RoomTables = typeof ROOMS;

/** Imports that the package's room table does not allow. */
export function roomFaults(file: SourceFile, tables: RoomTables): string[] {
  const rooms = tables[file.path.split('/')[1] ?? ''];
  if (rooms === undefined) return [];
  const home = dirOfPackage(file);
  const room = roomOf(file.path.slice(home.length), rooms);
  const may = rooms[room];
  if (may === undefined) return [`${file.path}: ${room} is not in the room table`];
  return file.imports.flatMap(({ specifier }) => {
    const reached = target(file, specifier)?.slice(home.length);
    if (reached === undefined || roomOf(reached, rooms) === room) return [];
    const allowed =
      may.includes(roomOf(reached, rooms)) ||
      may.includes(reached) ||
      (may.includes('*') && !ENTRIES.has(reached));
    return allowed ? [] : [`${file.path}: the room ${room} must not import ${reached}`];
  });
}

/** Edges of room tables that no import takes any more. */
export function unusedEdges(files: readonly SourceFile[], tables: RoomTables): string[] {
  return Object.entries(tables).flatMap(([folder, rooms]) => {
    const home = `packages/${folder}/src/`;
    const inPackage = files.filter(({ path }) => path.startsWith(home));
    const taken = new Set(
      inPackage.flatMap(file =>
        file.imports.flatMap(({ specifier }) => {
          const reached = target(file, specifier)?.slice(home.length);
          const room = roomOf(file.path.slice(home.length), rooms);
          return reached === undefined ? [] : [`${room} ${roomOf(reached, rooms)}`, `${room} ${reached}`];
        }),
      ),
    );
    return Object.entries(rooms).flatMap(([room, may]) =>
      may
        .filter(edge => edge !== '*' && !taken.has(`${room} ${edge}`))
        .map(edge => `${folder}: no file of ${room} imports ${edge} any more: remove it from the table`),
    );
  });
}

/** The first folder below `src`, the room of a district that the table names, or the file itself at the root. */
function roomOf(path: string, rooms: Readonly<Record<string, unknown>>): string {
  const [first = '', second = ''] = path.split('/');
  const inDistrict = `${first}/${second}`;
  return inDistrict in rooms ? inDistrict : first;
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

/** What readers copy: examples, pages and the READMEs of packages, relative to the root. */
const SHOWN = ['examples/**/*.{ts,tsx,mts,js,mjs,cjs}', 'docs/**/*.md', '*.md', 'packages/*/README.md'];
const INTERNAL_ENTRY = /['"](@msg\/[^'"/]+\/internal)['"]/g;

/** Internal entries that readers are shown. */
function internalShown(root: string): string[] {
  const paths = globSync(SHOWN, { cwd: root, exclude: ['**/node_modules/**', 'docs/.vitepress/**'] });
  return paths.sort().flatMap(path => {
    const names = [...readFileSync(join(root, path), 'utf8').matchAll(INTERNAL_ENTRY)];
    return names.map(([, name]) => `${path}: ${name} is for the packages of this repository alone`);
  });
}

/** Every import that breaks a rule of the house, one line each. */
export function findImportFaults(root: string): string[] {
  const files = readSources(root);
  return [
    ...internalShown(root),
    ...files.flatMap(directionFaults),
    ...files.flatMap(wallFaults),
    ...files.flatMap(file => roomFaults(file, ROOMS)),
    ...cycles(files),
  ];
}
