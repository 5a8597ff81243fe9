import { suggest } from '@msg/foundation/suggest';
import { display, UsageError } from '../usage-error.ts';

/** The place of a value in a configuration file. */
export interface FilePlace {
  /** Key path, `auth.oidc.grants[0].scope`; empty for the whole document. */
  readonly key: string;
  readonly line: number;
  /** Path of the file, as given. */
  readonly file: string;
}

/** A string, number or boolean as text, references to the environment replaced. */
export interface FileScalar extends FilePlace {
  readonly kind: 'scalar';
  readonly text: string;
  /** A reference to a variable left the text empty. */
  readonly emptied: boolean;
}

/** A list in a configuration file, with the place of each item. */
export interface FileList extends FilePlace {
  readonly kind: 'list';
  readonly items: readonly FileValue[];
}

/** A map in a configuration file, with the place of each member. */
export interface FileMap extends FilePlace {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, FileValue>;
}

/** `key:` with nothing behind it: the same as an absent key. */
export interface FileNull extends FilePlace {
  readonly kind: 'null';
}

/** The content of a configuration file of any syntax. */
export type FileValue = FileScalar | FileList | FileMap | FileNull;

/** The error of one place in a file, with key path and line, and what was probably meant. */
export function fileError(place: FilePlace, problem: string, remedy?: string): UsageError {
  const key = place.key === '' ? 'config' : place.key;
  return new UsageError(`${key} ${problem} (${place.file}:${place.line})`, { remedy });
}

/** The error of a key that no setting reads; `siblings` are the names that are allowed there. */
export function unknownKey(place: FilePlace, siblings: Iterable<string>): UsageError {
  const name = place.key.split('.').at(-1) ?? '';
  const near = suggest(name, siblings);
  const prefix = place.key.slice(0, place.key.length - name.length);
  const hint = near === undefined ? '' : `; did you mean ${prefix}${near}?`;
  return new UsageError(`key ${display(place.key)} does not exist${hint} (${place.file}:${place.line})`);
}

/** The value as a map. @throws UsageError for a value of another kind. */
export function requireMap(value: FileValue): FileMap {
  if (value.kind !== 'map') throw fileError(value, `must be a map; got a ${value.kind}`);
  return value;
}

/** The value as a list. @throws UsageError for a value of another kind. */
export function requireList(value: FileValue): FileList {
  if (value.kind !== 'list') throw fileError(value, `must be a list; got a ${value.kind}`);
  return value;
}
