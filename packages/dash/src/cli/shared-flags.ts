import type { Command } from 'commander';
import { readableText } from '#src/document/readable.ts';
import type { DocumentStore } from '#src/store/contract.ts';
import { requireRoot } from '#src/store/existing-root.ts';
import { openStore } from '#src/store/open-store.ts';
import type { Surroundings } from './surroundings.ts';

/** Flags that every command takes. */
export interface SharedFlags {
  readonly json?: boolean;
  readonly store: string;
  readonly root: string;
  readonly schemas?: string;
}

/** Adds a command with the flags that all of them share. */
export function addCommand(program: Command, signature: string, description: string): Command {
  return program
    .command(signature)
    .description(description)
    .option('--json', 'print data and errors as JSON')
    .option('--store <kind>', 'where documents are kept: fs or git', 'fs')
    .option('--root <directory>', 'directory of the documents', '.');
}

/** The store that the flags name. @throws DashError STORAGE_BACKEND_UNKNOWN, STORAGE_IO for a root that does not exist. */
export function storeOf(flags: SharedFlags): DocumentStore {
  const store = openStore(flags.store, flags.root);
  requireRoot(flags.root);
  return store;
}

/** Data as JSON, for people and programs alike. */
export function print(surroundings: Surroundings, value: object): void {
  surroundings.stdout(readableText(value));
}
