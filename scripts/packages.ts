import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The part of a `package.json` that is read here. */
export interface PackageManifest {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly private?: boolean;
  /** Of the root: the address that all others are made of. */
  readonly repository?: string;
  readonly workspaces?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export function readManifest(root: string, folder: string): PackageManifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as PackageManifest; // ours
}

/** Folders of all packages of the workspace. */
export function allPackages(root: string): readonly string[] {
  return readManifest(root, '.').workspaces ?? [];
}

/** Folders of the packages that are published. */
export function publicPackages(root: string): string[] {
  return allPackages(root).filter(folder => readManifest(root, folder).private !== true);
}
