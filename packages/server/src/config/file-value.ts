import { MsgError } from '@msg/core';
import { closest } from './suggestion.ts';

/** Where a value of a configuration file stands. */
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

export interface FileList extends FilePlace {
  readonly kind: 'list';
  readonly items: readonly FileValue[];
}

export interface FileMap extends FilePlace {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, FileValue>;
}

/** `key:` with nothing behind it: the same as an absent key. */
export interface FileNothing extends FilePlace {
  readonly kind: 'nothing';
}

/** What stands in a configuration file, whatever its syntax. */
export type FileValue = FileScalar | FileList | FileMap | FileNothing;

/** The fault of one place in a file: MSG_INVALID_ARGUMENT naming key path and line. */
export function fileFault(place: FilePlace, problem: string): MsgError {
  const key = place.key === '' ? 'config' : place.key;
  return new MsgError('MSG_INVALID_ARGUMENT', `${key}: ${problem} (${place.file}:${place.line})`);
}

/** The fault of a key that nobody reads; `siblings` are the names that stand there rightfully. */
export function unknownKey(place: FilePlace, siblings: Iterable<string>): MsgError {
  const name = place.key.split('.').at(-1) ?? '';
  const near = closest(name, siblings);
  const prefix = place.key.slice(0, place.key.length - name.length);
  const hint = near === undefined ? '' : `, did you mean ${prefix}${near}?`;
  return fileFault(place, `unknown key${hint}`);
}

/** @throws MsgError MSG_INVALID_ARGUMENT when the value is none. */
export function requireMap(value: FileValue): FileMap {
  if (value.kind !== 'map') throw fileFault(value, 'must be a map');
  return value;
}

/** @throws MsgError MSG_INVALID_ARGUMENT when the value is none. */
export function requireList(value: FileValue): FileList {
  if (value.kind !== 'list') throw fileFault(value, 'must be a list');
  return value;
}

/** @throws MsgError MSG_INVALID_ARGUMENT when the value is none. */
export function requireScalar(value: FileValue): FileScalar {
  if (value.kind !== 'scalar') throw fileFault(value, 'must be a single value');
  return value;
}
