import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allPackages, readManifest } from '../scripts/packages.ts';

type Ledger = ReadonlyMap<string, readonly string[]>;

/** Names in backticks. */
function quoted(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

/** Rows of a section: package → the packages of ours that its second column names. */
function ledger(section: string): Ledger {
  const page = readFileSync('docs/dependencies.md', 'utf8');
  const [, text = ''] = page.split(`## ${section}\n`);
  const rows = text.split('\n## ')[0]?.match(/^\| `.*$/gm) ?? [];
  return new Map(
    rows.flatMap(row => {
      const [names = '', users = ''] = row.replace(/^\| /, '').split(' | ');
      if (names.includes('(Maven Central)')) return [];
      // In brackets stands what a name is an alias of.
      return quoted(names.replace(/\(.*?\)/g, '')).map(name => [name, quoted(users).filter(isOurs)] as const);
    }),
  );
}

const isOurs = (name: string): boolean => name.startsWith('@msg/');

/** What the manifests declare: package → the packages of ours that declare it. */
function declared(
  kinds: readonly ('dependencies' | 'peerDependencies' | 'devDependencies')[],
): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const folder of ['.', ...allPackages('.')]) {
    const manifest = readManifest('.', folder);
    const isPublic = manifest.private !== true;
    for (const kind of kinds) {
      // What a private package needs at run time is needed for development.
      if (kind !== 'devDependencies' && !isPublic) continue;
      const names = Object.keys(manifest[kind] ?? {});
      const own = kind === 'devDependencies' && !isPublic ? Object.keys(manifest.dependencies ?? {}) : [];
      for (const name of [...names, ...own].filter(other => !isOurs(other))) {
        users.set(name, [...new Set([...(users.get(name) ?? []), manifest.name])]);
      }
    }
  }
  return users;
}

/** `@types/*` stands for all of a scope. */
function covers(rows: Iterable<string>, name: string): boolean {
  return [...rows].some(row => row === name || (row.endsWith('/*') && name.startsWith(row.slice(0, -1))));
}

describe('docs/dependencies.md', () => {
  const atRunTime = ledger('At run time');
  const forDevelopment = ledger('For development');
  const used = declared(['dependencies', 'peerDependencies']);
  const developed = declared(['devDependencies']);

  it('has a row for each dependency of the published packages, which names its users', () => {
    const rows = [...atRunTime].map(([name, users]) => [name, users.toSorted()]);
    expect(rows.sort()).toEqual([...used].map(([name, users]) => [name, users.toSorted()]).sort());
  });

  it('has a row for each other dependency', () => {
    const missing = [...developed.keys()].filter(
      name => !atRunTime.has(name) && !covers(forDevelopment.keys(), name),
    );
    expect(missing).toEqual([]);
  });

  it('has no row for what nothing depends on', () => {
    const gone = [...forDevelopment.keys()].filter(
      row => ![...developed.keys(), ...used.keys()].some(name => covers([row], name)),
    );
    expect(gone).toEqual([]);
  });
});
