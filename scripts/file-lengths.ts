import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Most lines of a kind of file. */
export interface LengthRule {
  /** What the bound is for, in the report. */
  readonly kind: string;
  readonly files: readonly string[];
  readonly most: number;
}

/** A file that may be longer, and why two files would be worse. */
export interface LongFile {
  readonly path: string;
  readonly reason: string;
}

const NO_SOURCE = ['**/node_modules/**', '**/dist/**'];

/** A file is one thing that a newcomer can name; one that wants to be longer is usually two things. */
export const LENGTH_RULES: readonly LengthRule[] = [
  {
    kind: 'source files',
    files: ['packages/*/src/**/*.{ts,tsx,js}', '{scripts,bench,conformance/src}/**/*.ts'],
    most: 250,
  },
  {
    kind: 'tests and what they share',
    files: ['packages/*/test/**/*.{ts,tsx}', '{test,conformance/clients}/**/*.ts'],
    most: 450,
  },
];

export const LONG_FILES: readonly LongFile[] = [
  {
    path: 'packages/server/src/msg.ts',
    reason: 'the public class: most methods are one line, the rest is their documentation',
  },
  {
    path: 'packages/protocol/src/json/reader.ts',
    reason:
      'one reader is made per command: a base class more made the decoding of short ones slower by a quarter',
  },
  {
    path: 'packages/protocol/src/protobuf/reader.ts',
    reason: 'as the reader of JSON: one is made per command',
  },
  {
    path: 'packages/server/test/cli/commands.test.ts',
    reason: 'every command once against one service, which starts once per file',
  },
  {
    path: 'packages/client/test/blackbox/client.test.ts',
    reason: 'the promises of one class against one service, which starts once per file',
  },
  {
    path: 'packages/server/test/blackbox/api.test.ts',
    reason: 'every command of the HTTP API against one service, which starts once per file',
  },
];

/** Files above their bound that no exception names, and exceptions that are no longer needed. */
export function lengthFaults(
  lengths: ReadonlyMap<string, number>,
  { kind, most }: Pick<LengthRule, 'kind' | 'most'>,
  exceptions: readonly LongFile[],
): string[] {
  const isNamed = (path: string): boolean => exceptions.some(exception => exception.path === path);
  return [
    ...[...lengths]
      .filter(([path, lines]) => lines > most && !isNamed(path))
      .map(([path, lines]) => `${path}: ${lines} lines; ${kind} have at most ${most}: split it by purpose`),
    ...exceptions
      .filter(({ path }) => (lengths.get(path) ?? most + 1) <= most)
      .map(({ path }) => `${path}: short enough now, remove it from LONG_FILES`),
  ];
}

/** Files below `root` that are too long, and exceptions whose file is gone. */
export function findLengthFaults(root: string): string[] {
  const paths = new Set<string>();
  const faults = LENGTH_RULES.flatMap(rule => {
    const lengths = new Map(
      globSync([...rule.files], { cwd: root, exclude: NO_SOURCE })
        .sort()
        .map(path => [path, readFileSync(join(root, path), 'utf8').split('\n').length - 1]),
    );
    for (const path of lengths.keys()) paths.add(path);
    return lengthFaults(lengths, rule, LONG_FILES);
  });
  const gone = LONG_FILES.filter(({ path }) => !paths.has(path));
  return [...faults, ...gone.map(({ path }) => `${path}: does not exist, remove it from LONG_FILES`)];
}
