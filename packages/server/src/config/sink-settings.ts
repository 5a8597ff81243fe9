import {
  choice,
  count,
  type FileMap,
  type FilePlace,
  type FileValue,
  list,
  type Setting,
  type SettingType,
  scalarType,
  secret,
  text,
  textMap,
  toggle,
} from '@msg/command-line';
import { type Entry, entryMap, orNull, readScalar, requireMap, unknownKey } from '@msg/command-line/internal';
import { MsgError } from '@msg/core';
import { type JsonSchema, membersSchema, optional } from '@msg/foundation/shape';
import { SINK_KINDS } from '../notify/sinks/kinds.ts';
import type { SinkKind, SinkSetting, SinkSettingType } from '../notify/sinks/sink-kind.ts';
import { duration } from './setting-types.ts';

/** Texts by name that must not be shown. */
const secretMap: SettingType<ReadonlyMap<string, string>> = {
  ...textMap,
  show: value => Object.fromEntries([...value.keys()].map(name => [name, '[redacted]'])),
};

/** A part of a whole; a value below 0 counts as 0. */
const fraction: SettingType<number> = scalarType({
  placeholder: 'fraction',
  parse: value => (/^-?(?:\d+(?:\.\d+)?|\.\d+)$/.test(value) ? Number(value) : undefined),
  format: String,
  show: value => value,
  expected: 'a fraction such as 0.2',
});

const RETRY = {
  max_attempts: optional(count, 'sends in all; 1 means no retry'),
  base_backoff: optional(duration, 'wait before the second send; it doubles with each further one'),
  max_backoff: optional(duration, 'longest wait, never below `base_backoff`'),
  jitter_fraction: optional(fraction, 'part of each wait that is random, 0 to 1'),
} as const;

/** One entry of `sink_retry.per_sink`; absent and 0 values are inherited. */
export type SinkRetryEntry = Entry<typeof RETRY>;

/** How each type of a sink's setting is read from a file and displayed. */
const TYPES: Readonly<Record<SinkSettingType, SettingType<unknown>>> = {
  text,
  url: text,
  list,
  map: textMap,
  count,
  switch: toggle,
  duration,
};

function typeOf({ type, secret: isSecret }: SinkSetting): SettingType<unknown> {
  if (isSecret !== true) return TYPES[type];
  return type === 'map' ? secretMap : type === 'text' || type === 'url' ? secret : hidden(TYPES[type]);
}

function hidden<T>(type: SettingType<T>): SettingType<T> {
  return { ...type, show: () => '[redacted]', secret: true };
}

/** One entry of `sinks` (messaging details, section 17): its kind, its values, and its place in the file. */
export interface SinkEntry {
  readonly kind: SinkKind;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly place: FilePlace;
}

/** The error of an entry: `sinks.<name>` and the problem, which holds no value, with file and line. */
export function sinkConfigError({ key, file, line }: FilePlace, problem: string): MsgError {
  return new MsgError('MSG_SINK_CONFIG_INVALID', `${key}${problem} (${file}:${line})`);
}

function readEntry(kinds: readonly SinkKind[], item: FileValue): SinkEntry {
  const map = requireMap(item);
  const word = map.entries.get('kind');
  if (word === undefined || word.kind === 'null') throw sinkConfigError(map, '.kind is required');
  const name = readScalar(choice(...kinds.map(({ kind }) => kind)), word);
  const kind = kinds.find(row => row.kind === name);
  if (kind === undefined) throw new TypeError(`no sink kind ${name}`); // `choice` allows only their names
  checkKeys(kinds, kind, map);
  return { kind, settings: readValues(kind, map), place: map };
}

/** @throws UsageError for a key of no kind; MsgError MSG_SINK_CONFIG_INVALID for one of another kind. */
function checkKeys(kinds: readonly SinkKind[], { settings }: SinkKind, map: FileMap): void {
  const names = ['kind', ...Object.keys(settings)];
  for (const [name, value] of map.entries) {
    if (names.includes(name)) continue;
    if (!kinds.some(other => Object.hasOwn(other.settings, name))) throw unknownKey(value, names);
    throw sinkConfigError(value, ` must be one of ${names.join(', ')}; got ${JSON.stringify(name)}`);
  }
}

function readValues({ settings }: SinkKind, map: FileMap): SinkEntry['settings'] {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(settings)) {
    const item = map.entries.get(name);
    const value = item === undefined || item.kind === 'null' ? undefined : typeOf(setting).read(item, map);
    if (setting.required && (value === undefined || value === ''))
      throw sinkConfigError(map, `.${name} is required`);
    if (value !== undefined) values[name] = value instanceof Map ? Object.fromEntries(value) : value;
  }
  return values;
}

function showEntry({ kind, settings }: SinkEntry): object {
  const entries = Object.entries(settings).map(([name, value]) => {
    const setting = kind.settings[name];
    if (setting === undefined) return [name, '[redacted]'];
    const read = setting.type === 'map' ? new Map(Object.entries(value as object)) : value; // as it was read
    return [name, typeOf(setting).show(read)];
  });
  return { kind: kind.kind, ...Object.fromEntries(entries) };
}

function membersOf(kinds: readonly SinkKind[]): NonNullable<SettingType<unknown>['members']> {
  const members = kinds.flatMap(({ kind, settings }) =>
    Object.entries(settings).map(([name, setting]) => {
      const shownType = typeOf(setting).placeholder ?? 'on|off';
      return [name, { help: `${kind}: ${setting.help}`, shownType }];
    }),
  );
  const kind = { help: 'what the sink is; required', shownType: kinds.map(row => row.kind).join('|') };
  return { kind, ...Object.fromEntries(members) };
}

/** The schema of one entry of a kind. An optional key may have no value. */
function entrySchema({ kind, settings }: SinkKind): JsonSchema {
  const members = Object.entries(settings).map(([name, setting]) => {
    const schema = typeOf(setting).schema ?? {};
    const { help, required = false } = setting;
    return [name, { type: required ? schema : orNull(schema), help, required }] as const;
  });
  const kindMember = { type: { const: kind }, help: 'what the sink is', required: true };
  return membersSchema<JsonSchema>({ kind: kindMember, ...Object.fromEntries(members) }, schema => schema);
}

/** Entries of `sinks` by name, by the rows of their kinds. Only files can express them. */
export function sinkEntries(kinds: readonly SinkKind[]): SettingType<ReadonlyMap<string, SinkEntry>> {
  return {
    placeholder: 'map',
    parse: () => undefined,
    format: () => '',
    expected: 'in a file',
    read: value =>
      new Map([...requireMap(value).entries].map(([name, item]) => [name, readEntry(kinds, item)])),
    show: entries => Object.fromEntries([...entries].map(([name, entry]) => [name, showEntry(entry)])),
    members: membersOf(kinds),
    schema: { type: 'object', additionalProperties: { anyOf: kinds.map(entrySchema) } },
  };
}

/** Sinks, their allowed destinations and their retries. Only a file can express the sinks. */
export const SINK_SETTINGS = {
  sinks: {
    key: 'sinks',
    type: sinkEntries(SINK_KINDS),
    fallback: new Map(),
    help: 'destinations outside the channels, by name',
  } satisfies Setting<ReadonlyMap<string, SinkEntry>>,
  privateSinkUrls: {
    key: 'server.private_sink_urls',
    flag: '--private-sink-urls',
    env: 'MSG_PRIVATE_SINK_URLS',
    type: toggle,
    fallback: false,
    help: "webhook recipients' URLs may lead to private, loopback and link-local addresses",
  } satisfies Setting<boolean>,
  sinkMaxAttempts: {
    key: 'sink_retry.max_attempts',
    type: count,
    fallback: 5,
    help: RETRY.max_attempts.help,
  } satisfies Setting<number>,
  sinkBaseBackoff: {
    key: 'sink_retry.base_backoff',
    type: duration,
    fallback: 1000,
    help: RETRY.base_backoff.help,
  } satisfies Setting<number>,
  sinkMaxBackoff: {
    key: 'sink_retry.max_backoff',
    type: duration,
    fallback: 30_000,
    help: RETRY.max_backoff.help,
  } satisfies Setting<number>,
  sinkJitterFraction: {
    key: 'sink_retry.jitter_fraction',
    type: fraction,
    fallback: 0.2,
    help: RETRY.jitter_fraction.help,
  } satisfies Setting<number>,
  sinkRetryPerSink: {
    key: 'sink_retry.per_sink',
    type: entryMap(RETRY),
    fallback: new Map(),
    help: 'settings of single sinks, by name',
  } satisfies Setting<ReadonlyMap<string, SinkRetryEntry>>,
} as const;
