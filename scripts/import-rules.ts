import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type RoomTables, roomFaults } from './room-rules.ts';
import {
  dirOfPackage,
  importsOf,
  packageOf,
  readSources,
  type SourceFile,
  target,
} from './source-imports.ts';

/** Which packages of ours a package may import. A package that is not listed fails the check. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  '@msg/foundation': [],
  '@msg/protocol': [],
  '@msg/redis': ['@msg/foundation'],
  '@msg/engine': ['@msg/foundation', '@msg/protocol', '@msg/redis'],
  '@msg/core': ['@msg/foundation'],
  '@msg/command-line': ['@msg/foundation'],
  '@msg/server': [
    '@msg/foundation',
    '@msg/engine',
    '@msg/redis',
    '@msg/core',
    '@msg/command-line',
    '@msg/console',
    '@msg/postgres',
  ],
  '@msg/client': ['@msg/foundation', '@msg/core'],
  '@msg/react': ['@msg/client'],
  '@msg/ai': ['@msg/foundation', '@msg/core', '@msg/client'],
  '@msg/postgres': ['@msg/foundation', '@msg/core'],
  '@msg/codegen': ['@msg/foundation', '@msg/core', '@msg/command-line'],
  'create-msg-app': [],
  '@msg/console': ['@msg/foundation', '@msg/core'],
  '@msg/dash': ['@msg/foundation', '@msg/command-line'],
  '@msg/sim': [
    '@msg/foundation',
    '@msg/engine',
    '@msg/core',
    '@msg/server',
    '@msg/redis',
    '@msg/protocol',
    '@msg/postgres',
    '@msg/testkit',
  ],
  '@msg/testkit': [
    '@msg/foundation',
    '@msg/protocol',
    '@msg/engine',
    '@msg/core',
    '@msg/server',
    '@msg/postgres',
  ],
};

/** Packages that must run in a browser: no Node built-ins in their sources. */
const BROWSER_SAFE = [
  '@msg/foundation',
  '@msg/protocol',
  '@msg/core',
  '@msg/client',
  '@msg/react',
  '@msg/ai',
  '@msg/console',
];

/**
 * The wall inside the server: client commands know the RPC, not the service. `cli/serve`, and `cli/outbox` with what commands do
 * with a database, are loaded on demand.
 */
const CLI_ROOM = 'packages/server/src/cli/';
const LOADED_ROOMS = [`${CLI_ROOM}serve/`, `${CLI_ROOM}outbox/`];
const isLoaded = (path: string): boolean => LOADED_ROOMS.some(room => path.startsWith(room));
/** A key for a configuration is made without a server. */
const API_KEY_TEXTS = 'packages/server/src/auth/api-keys/secret.ts';
/** The command line makes keys for push messages itself. */
const VAPID_KEYS = 'packages/server/src/notify/sinks/webpush/vapid.ts';
const CLI_MAY_REACH = [CLI_ROOM, 'packages/server/src/config/', API_KEY_TEXTS, VAPID_KEYS];
const CLI_PACKAGES = ['@msg/foundation', '@msg/core', '@msg/command-line'];

/** What every room of dash stands on. */
const DASH_BASE = ['document', 'errors.ts'];
const DASH_CORE = [...DASH_BASE, 'expression', 'catalog', 'resolve', 'changeset', 'store', 'reads'];

/**
 * The room tables of ARCHITECTURE.md, by the folder of the package: a room is a folder of `src` or a file at its root,
 * with the rooms and single files that it may import, types included; `*` stands for all but the entry.
 */
export const ROOMS: RoomTables = {
  dash: {
    document: [],
    // Messages show their input as `document` prints it.
    'errors.ts': ['document'],
    expression: DASH_BASE,
    catalog: DASH_BASE,
    resolve: [...DASH_BASE, 'catalog', 'expression'],
    store: DASH_BASE,
    changeset: [
      ...DASH_BASE,
      'catalog',
      'store/contract.ts',
      'store/known-ids.ts',
      'store/stored-document.ts',
    ],
    reads: [...DASH_BASE, 'store', 'catalog', 'resolve', 'changeset'],
    proposals: [...DASH_BASE, 'catalog/node-types.ts', 'changeset', 'store', 'reads'],
    data: [...DASH_BASE, 'resolve/tree.ts'],
    render: [...DASH_BASE, 'resolve/tree.ts', 'data/contract.ts'],
    import: [...DASH_BASE, 'catalog'],
    web: [...DASH_CORE, 'proposals', 'data', 'render'],
    mcp: [...DASH_CORE, 'proposals', 'data', 'render', 'web'],
    http: [...DASH_CORE, 'proposals', 'data', 'render', 'web'],
    cli: ['*'],
    'index.ts': ['*'],
    'internal.ts': ['*'],
  },
};

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

function wallFaults(file: SourceFile): string[] {
  if (!file.path.startsWith(CLI_ROOM) || isLoaded(file.path)) return [];
  const faults: string[] = [];
  for (const { specifier, lazy } of file.imports) {
    if (lazy) continue;
    const reached = target(file, specifier);
    const outside =
      reached !== null && (!CLI_MAY_REACH.some(room => reached.startsWith(room)) || isLoaded(reached));
    const service = packageOf(specifier);
    if (outside || (service !== null && !CLI_PACKAGES.includes(service))) {
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

/** What is no source of a package: programs and tests, which take entries as other packages do. */
const OUTSIDE = ['{bench,conformance,scripts,test}/**/*.ts', 'packages/{*/test,testkit/src}/**/*.ts'];
const SOURCE_OF = /^packages\/(?<folder>[^/]+)\/src\//;

/** Imports of another package's source file by its path: two copies of a module would run in one program. */
function sourcesReached(root: string): string[] {
  const paths = globSync(OUTSIDE, { cwd: root, exclude: ['**/node_modules/**'] });
  return paths.sort().flatMap(path => {
    const home = path.startsWith('packages/') ? path.split('/')[1] : undefined;
    return importsOf(readFileSync(join(root, path), 'utf8')).flatMap(({ specifier }) => {
      if (!specifier.startsWith('.')) return [];
      const reached = join(dirname(path), specifier);
      const folder = SOURCE_OF.exec(reached)?.groups?.['folder'];
      if (folder === undefined || folder === home || folder === 'testkit') return [];
      return [`${path}: ${reached} is reached by its path; take an entry of the package, such as /internal`];
    });
  });
}

/** Every import that breaks a rule of the house, one line each. */
export function findImportFaults(root: string): string[] {
  const files = readSources(root);
  return [
    ...internalShown(root),
    ...sourcesReached(root),
    ...files.flatMap(directionFaults),
    ...files.flatMap(wallFaults),
    ...files.flatMap(file => roomFaults(file, ROOMS)),
    ...cycles(files),
  ];
}
