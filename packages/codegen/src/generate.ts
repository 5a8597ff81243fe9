import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emitGo } from './emit/go.ts';
import { emitTypeScript } from './emit/typescript.ts';
import type { PatternSource } from './snapshot.ts';

/** The languages with their files. */
export const FILES = { go: 'parsec_gen.go', ts: 'index.ts' } as const;
/** A language of generated code. */
export type Language = keyof typeof FILES;

/** Options of generated code. */
export interface GenerateOptions {
  readonly languages: readonly Language[];
  /** Go only. */
  readonly packageName: string;
  /** Text at the start of every file. */
  readonly header: string;
}

/** One file of generated code. */
export interface GeneratedFile {
  readonly name: string;
  readonly text: string;
}

/** The files for the patterns of a registry. Equal input gives equal bytes. */
export function generate(
  sources: readonly PatternSource[],
  { languages, packageName, header }: GenerateOptions,
): readonly GeneratedFile[] {
  return languages.map(language => ({
    name: FILES[language],
    text: language === 'go' ? emitGo(sources, packageName, header) : emitTypeScript(sources, header),
  }));
}

/** Writes files to a directory, which is created if missing; a reader sees either the old or the new file. */
export async function writeFiles(
  directory: string,
  files: readonly GeneratedFile[],
): Promise<readonly string[]> {
  await mkdir(directory, { recursive: true });
  const paths: string[] = [];
  for (const { name, text } of files) {
    const path = join(directory, name);
    const draft = `${path}.${randomUUID()}.tmp`;
    try {
      await writeFile(draft, text);
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    paths.push(path);
  }
  return paths;
}

/** Paths of files that are missing in a directory or have other content. */
export async function staleFiles(
  directory: string,
  files: readonly GeneratedFile[],
): Promise<readonly string[]> {
  const stale: string[] = [];
  for (const { name, text } of files) {
    const path = join(directory, name);
    const present = await readFile(path, 'utf8').catch(() => undefined);
    if (present !== text) stale.push(path);
  }
  return stale;
}
