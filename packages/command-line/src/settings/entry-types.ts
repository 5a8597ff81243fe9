import {
  type FileMap,
  type FileValue,
  fileError,
  requireList,
  requireMap,
  unknownKey,
} from './file-value.ts';
import type { SettingType } from './setting.ts';

/** One key of an entry. */
export interface EntryMember<T, R extends boolean = boolean> {
  readonly type: SettingType<T>;
  readonly help: string;
  readonly required: R;
}

/** A key that an entry must have. */
export function required<T>(type: SettingType<T>, help: string): EntryMember<T, true> {
  return { type, help, required: true };
}

/** A key that an entry may have. */
export function optional<T>(type: SettingType<T>, help: string): EntryMember<T, false> {
  return { type, help, required: false };
}

/** The keys of an entry. */
export type EntryShape = Readonly<Record<string, EntryMember<unknown>>>;

type ValueOf<M> = M extends EntryMember<infer T> ? T : never;

/** An entry that was read; its members have the names of the file. */
export type Entry<S extends EntryShape> = {
  readonly [K in keyof S as S[K]['required'] extends true ? K : never]: ValueOf<S[K]>;
} & {
  readonly [K in keyof S as S[K]['required'] extends true ? never : K]?: ValueOf<S[K]>;
};

function readEntry<S extends EntryShape>(shape: S, value: FileValue): Entry<S> {
  const map: FileMap = requireMap(value);
  for (const [name, item] of map.entries) {
    if (!Object.hasOwn(shape, name)) throw unknownKey(item, Object.keys(shape));
  }
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(shape)) {
    const item = map.entries.get(name);
    if (item !== undefined && item.kind !== 'null') result[name] = member.type.read(item, map);
    else if (member.required) throw fileError({ ...map, key: `${map.key}.${name}` }, 'is required');
  }
  return result as Entry<S>; // the loop read every member with its own type and missed no required one
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
  };
}
