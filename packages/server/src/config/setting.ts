import { MsgError } from '@msg/core';
import { type FileMap, type FileValue, fileFault } from './file-value.ts';

/** How a setting is read from texts and files, and how it is shown. */
export interface SettingType<T> {
  /** Placeholder in help texts; `undefined` for a switch, whose flag takes no value. */
  readonly placeholder: string | undefined;
  /** @returns the value, or `undefined` when the text is not one. */
  parse(text: string): T | undefined;
  /** What is wrong with a text that does not parse. */
  readonly problem: string;
  /**
   * Reads what stands in a configuration file under the setting's key; `around` is the map the key stands in.
   * @throws MsgError MSG_INVALID_ARGUMENT naming key path and line.
   */
  read(value: FileValue, around: FileMap): T;
  /** As help texts show a default; empty for "none". */
  format(value: T): string;
  /** As JSON, without secrets. */
  show(value: T): unknown;
  /** The flag may be given several times; its texts are joined with commas. */
  readonly repeatable?: true;
  /** Never shown; has no flag, since command lines are visible. */
  readonly secret?: true;
  /** Further keys beside the setting's own that belong to its form in files, with their meaning. */
  readonly companions?: Readonly<Record<string, string>>;
  /** Keys below the setting's own, for settings that hold entries, with their meaning. */
  readonly members?: Readonly<Record<string, { readonly help: string; readonly shownType: string }>>;
}

/**
 * One setting, declared once: the command line, the environment, the configuration file, the help text and the
 * reference page all read this.
 */
export interface Setting<T> {
  /** Key path in the configuration file; error texts name it. */
  readonly key: string;
  /** Other key paths that a file may use instead. */
  readonly aliases?: readonly string[];
  /** Absent for settings that would show secrets on a command line, or that only a file can express. */
  readonly flag?: string;
  readonly short?: string;
  readonly env?: string;
  readonly type: SettingType<T>;
  readonly fallback: T;
  readonly help: string;
}

/** A configuration file that was read; its keys were checked. */
export interface SettingFile {
  /** Path as given. */
  readonly path: string;
  /** The value under a key path and the map it stands in; `undefined` when there is none. */
  find(key: string): { readonly value: FileValue; readonly around: FileMap } | undefined;
}

/** Where values come from: one command's flags as given, the environment, a file. */
export interface SettingSources {
  /** The text of a flag that was given; for a switch its presence counts as `true`. */
  flag(name: string): string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly file?: SettingFile | undefined;
}

/** The layer that settled a value. */
export type SettingLayer = 'flag' | 'env' | 'file' | 'default';

/** A value and the layer it came from. */
export interface SettledValue<T> {
  readonly value: T;
  readonly layer: SettingLayer;
}

function parse<T>(setting: Setting<T>, text: string, where: string): T {
  const parsed = setting.type.parse(text);
  if (parsed !== undefined) return parsed;
  throw new MsgError('MSG_INVALID_ARGUMENT', `${setting.key}: ${setting.type.problem} (${where})`);
}

/**
 * Settles one setting at exactly one layer: flag, then environment, then file, then default.
 * @throws MsgError MSG_INVALID_ARGUMENT naming the key when the text is not a value.
 */
export function settleFrom<T>(setting: Setting<T>, sources: SettingSources): SettledValue<T> {
  const { flag, env, type } = setting;
  const given = flag === undefined ? undefined : sources.flag(flag);
  if (flag !== undefined && given !== undefined) return { value: parse(setting, given, flag), layer: 'flag' };
  const variable = env === undefined ? undefined : sources.env[env];
  // An empty variable is an unset one, but for switches, where it says "off" (messaging details 16.3).
  if (env !== undefined && variable !== undefined && (variable !== '' || type.placeholder === undefined)) {
    return { value: parse(setting, variable, env), layer: 'env' };
  }
  const found = findInFile(setting, sources.file);
  if (found !== undefined && found.value.kind !== 'nothing') {
    return { value: type.read(found.value, found.around), layer: 'file' };
  }
  return { value: setting.fallback, layer: 'default' };
}

/** @throws MsgError MSG_INVALID_ARGUMENT for a setting that is there under two names. */
function findInFile(
  { key, aliases = [] }: Setting<unknown>,
  file: SettingFile | undefined,
): ReturnType<SettingFile['find']> {
  const [first, second] = [key, ...aliases]
    .map(name => file?.find(name))
    .filter(found => found !== undefined);
  if (second !== undefined) throw fileFault(second.value, `is the same as ${first?.value.key}`);
  return first;
}

/** The value of {@link settleFrom}. */
export function settle<T>(setting: Setting<T>, sources: SettingSources): T {
  return settleFrom(setting, sources).value;
}

/** A group of settings. */
export type SettingGroup = Readonly<Record<string, Setting<unknown>>>;

/** The values of a group. */
export type Settled<G extends SettingGroup> = {
  readonly [K in keyof G]: G[K] extends Setting<infer T> ? T : never;
};

/** Settles every setting of a group. */
export function settleAll<const G extends SettingGroup>(group: G, sources: SettingSources): Settled<G> {
  const entries = Object.entries(group).map(([name, setting]) => [name, settle(setting, sources)]);
  return Object.fromEntries(entries) as Settled<G>; // one member per setting, of that setting's type
}

/** What the help says about a setting, with its variable and default. */
export function describe(setting: Setting<unknown>): string {
  const shown = setting.type.format(setting.fallback);
  const facts = [
    ...(setting.env === undefined ? [] : [`env ${setting.env}`]),
    ...(shown === '' || shown === 'off' ? [] : [`default ${shown}`]),
  ];
  return facts.length === 0 ? setting.help : `${setting.help} (${facts.join(', ')})`;
}

/** Reads a scalar of a file with the type's own parser. @throws MsgError MSG_INVALID_ARGUMENT */
export function readScalar<T>(
  type: Pick<SettingType<T>, 'parse' | 'problem' | 'secret'>,
  value: FileValue,
): T {
  if (value.kind !== 'scalar') throw fileFault(value, `${type.problem}, must be a single value`);
  if (type.secret && value.emptied) throw fileFault(value, 'is empty because its variable is not set');
  const parsed = type.parse(value.text);
  if (parsed === undefined) throw fileFault(value, type.problem);
  return parsed;
}
