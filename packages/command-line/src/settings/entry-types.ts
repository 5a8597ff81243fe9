import {
  type JsonSchema,
  type Members,
  membersSchema,
  type ObjectOf,
  readMembers,
} from '@msg/foundation/shape';
import {
  type FileMap,
  type FileValue,
  fileError,
  requireList,
  requireMap,
  unknownKey,
} from './file-value.ts';
import { orNull } from './json-schema.ts';
import type { SettingType } from './setting.ts';

/** The keys of an entry. */
export type EntryShape = Members<SettingType<unknown>>;

/** An entry that was read; its members have the names of the file. */
export type Entry<S extends EntryShape> = ObjectOf<S>;

function readEntry<S extends EntryShape>(shape: S, value: FileValue): Entry<S> {
  const map: FileMap = requireMap(value);
  const itemOf = (name: string) => map.entries.get(name) as FileValue; // of names that the reader saw there
  return readMembers<SettingType<unknown>, S>(shape, {
    names: map.entries.keys(),
    has: name => (map.entries.get(name)?.kind ?? 'null') !== 'null',
    read: (name, type) => type.read(itemOf(name), map),
    error: (problem, name) =>
      problem === 'unknown'
        ? unknownKey(itemOf(name), Object.keys(shape))
        : fileError({ ...map, key: `${map.key}.${name}` }, 'is required'),
  });
}

function showEntry<S extends EntryShape>(shape: S, entry: Entry<S>): object {
  const members = Object.entries(entry).map(([name, value]) => [name, shape[name]?.type.show(value)]);
  return Object.fromEntries(members);
}

function membersOf(shape: EntryShape): NonNullable<SettingType<unknown>['members']> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, { type, help, required }]) => [
      name,
      { help: required ? `${help}; required` : help, shownType: type.placeholder ?? 'on|off' },
    ]),
  );
}

/** A key that is not required may have no value. */
function entrySchema(shape: EntryShape): JsonSchema {
  const members = Object.entries(shape).map(([name, { type, help, required }]) => {
    const schema = type.schema ?? {};
    return [name, { type: required ? schema : orNull(schema), help, required }] as const;
  });
  return membersSchema<JsonSchema>(Object.fromEntries(members), schema => schema);
}

const FILE_ONLY = {
  parse: () => undefined,
  format: () => '',
  expected: 'in a file',
} as const;

/** A list of entries: `key: [{…}, {…}]`. Only files can express it. */
export function entryList<const S extends EntryShape>(shape: S): SettingType<readonly Entry<S>[]> {
  return {
    ...FILE_ONLY,
    placeholder: 'list',
    read: value => requireList(value).items.map(item => readEntry(shape, item)),
    show: entries => entries.map(entry => showEntry(shape, entry)),
    members: membersOf(shape),
    schema: { type: 'array', items: entrySchema(shape) },
  };
}

/** Entries by name: `key: {name: {…}}`. Only files can express it. */
export function entryMap<const S extends EntryShape>(shape: S): SettingType<ReadonlyMap<string, Entry<S>>> {
  return {
    ...FILE_ONLY,
    placeholder: 'map',
    read: value =>
      new Map([...requireMap(value).entries].map(([name, item]) => [name, readEntry(shape, item)])),
    show: entries => Object.fromEntries([...entries].map(([name, entry]) => [name, showEntry(shape, entry)])),
    members: membersOf(shape),
    schema: { type: 'object', additionalProperties: entrySchema(shape) },
  };
}
