import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const IMPORT =
  /^\s*(?:import|export)\s+(?<type>type\s)?[^'"`;]*?\bfrom\s*['"](?<from>[^'"]+)['"]|^\s*import\s*['"](?<bare>[^'"]+)['"]|\bimport\(\s*['"](?<lazy>[^'"]+)['"]\s*\)/gm;

export interface Import {
  readonly specifier: string;
  /** Erased when the program runs. */
  readonly typeOnly: boolean;
  /** Loaded on demand: part of no import cycle, and allowed through the wall of the command line. */
  readonly lazy: boolean;
}

/** The imports and re-exports of a text. */
export function importsOf(source: string): Import[] {
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

/** The package of ours that a specifier names. */
export function packageOf(specifier: string): string | null {
  return /^@msg\/[^/]+/.exec(specifier)?.[0] ?? null;
}

/** The file in the same package that an import means, relative to the root; null for other packages. */
export function target(file: SourceFile, specifier: string): string | null {
  if (specifier.startsWith('.')) return relative('.', resolve(dirname(file.path), specifier));
  if (!specifier.startsWith('#src/')) return null;
  return join(file.path.split('/').slice(0, 2).join('/'), 'src', specifier.slice('#src/'.length));
}

/** The folder `src` of the file's package, with a slash at its end. */
export function dirOfPackage(file: SourceFile): string {
  return `${file.path.split('/').slice(0, 3).join('/')}/`;
}
