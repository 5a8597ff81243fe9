import {
  type CommandRow,
  type CommandSpec,
  command,
  defaultFlag,
  type ProgramIo,
  type SettingGroup,
  type SettingSources,
  switchFlag,
  textFlag,
} from '@msg/command-line';
import { display } from '../document/display.ts';
import { readableText } from '../document/readable.ts';
import type { Warning } from '../reads/warnings/warning.ts';
import type { DocumentStore } from '../store/contract.ts';
import { requireRoot } from '../store/existing-root.ts';
import { openStore } from '../store/open-store.ts';
import type { DashIo } from './io.ts';

/** Flags that every command takes. */
export const STORE_SETTINGS = {
  json: switchFlag('--json', 'print data and errors as JSON'),
  store: defaultFlag('--store', 'kind', 'fs', 'where documents are kept: fs or git'),
  root: defaultFlag('--root', 'directory', '.', 'directory of the documents'),
} as const;

/** Flags of the commands that need item types. */
export const TYPE_SETTINGS = {
  ...STORE_SETTINGS,
  schemas: textFlag('--schemas', 'directory', 'directory of item types'),
} as const;

/** Flags of the commands that resolve documents. */
export const RESOLVE_SETTINGS = {
  ...TYPE_SETTINGS,
  requireSecrets: switchFlag('--require-secrets', 'fail when a secret is not set'),
} as const;

/** Makes a command of its row. */
export function dashCommand<const S extends SettingGroup>(row: CommandRow<DashIo, S>): CommandSpec<DashIo> {
  return command(row);
}

/** The store of the flags. @throws DashError STORAGE_BACKEND_UNKNOWN, STORAGE_IO for a root that does not exist */
export function storeOf({
  store: kind,
  root,
}: {
  readonly store: string;
  readonly root: string;
}): DocumentStore {
  const store = openStore(kind, root);
  requireRoot(root);
  return store;
}

/** True when a flag names a store: targets are then ids of documents, otherwise paths. */
export function usesStore({ flag }: SettingSources): boolean {
  return flag('--store') !== undefined || flag('--root') !== undefined;
}

/** Data as JSON, for people and programs alike. */
export function print(io: ProgramIo, value: object): void {
  io.out(readableText(value));
}

/** What is worth a look, a line each, where it is in no one's way. */
export function printWarnings(io: ProgramIo, target: string, warnings: readonly Warning[]): void {
  for (const { code, message } of warnings) io.err(`${display(target)}: warning: ${code}: ${message}\n`);
}

/** Prints the result of a write: one line of JSON with `--json`, otherwise the verb and the revision, if any. */
export function printWritten(
  io: ProgramIo,
  verb: string,
  {
    json,
    ...written
  }: { readonly json: boolean; readonly id: string; readonly revision: string | undefined },
): void {
  const { id, revision } = written;
  if (json) io.out(`${JSON.stringify(written)}\n`);
  else io.out(`${verb} ${id}${revision === undefined ? '' : ` revision ${revision}`}\n`);
}
