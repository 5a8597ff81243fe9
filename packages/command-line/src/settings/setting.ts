import type { JsonSchema } from '@msg/foundation/shape';
import { display, UsageError } from '../usage-error.ts';
import { type FileMap, type FileValue, fileError } from './file-value.ts';

/** A value that was probably meant. */
export interface Suggestion {
  readonly text: string;
  /** Why, where the value alone does not tell. */
  readonly reason?: string;
}

/** How a setting is read from texts and files, and how it is shown. */
export interface SettingType<T> {
  /** Placeholder in help texts; `undefined` for a switch, whose flag takes no value. */
  readonly placeholder: string | undefined;
  /** @returns the value, or `undefined` when the text is not one. */
  parse(text: string): T | undefined;
  /** What a text has to be: "a duration such as 1h30m". */
  readonly expected: string;
  /** What was probably meant by a text that is not a value; absent: nothing is near. */
  suggest?(text: string): Suggestion | undefined;
  /**
   * Reads the value under the setting's key in a configuration file; `around` is the map that has the key.
   * @throws UsageError naming key path and line.
   */
  read(value: FileValue, around: FileMap): T;
  /** What a file may hold under the key, as JSON Schema; absent: anything. */
  readonly schema?: JsonSchema;
  /** As help texts show a default; empty for "none". */
  format(value: T): string;
  /** As JSON, without secrets. */
  show(value: T): unknown;
  /** The value of a flag that may be given several times, from all its texts. */
  collect?(texts: readonly string[]): T;
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
  /** What help shows as the flag's value, instead of the type's placeholder. */
  readonly placeholder?: string;
  /** The flag must be given. */
  readonly required?: true;
  readonly fallback: T;
  readonly help: string;
}

/** A configuration file that was read; its keys were checked. */
export interface SettingFile {
  /** Path as given. */
  readonly path: string;
  /** The value under a key path and the map that has it; `undefined` for a key without one. */
  find(key: string): { readonly value: FileValue; readonly around: FileMap } | undefined;
}

/** Where values come from: one command's flags as given, the environment, a file. */
export interface SettingSources {
  /** The texts of a flag that was given; a switch that was given has the text `true`. */
  flag(name: string): readonly string[] | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly file?: SettingFile | undefined;
}

/** The layer that a value comes from. */
type SettingLayer = 'flag' | 'env' | 'file' | 'default';

/** A value and the layer it came from. */
export interface ResolvedValue<T> {
  readonly value: T;
  readonly layer: SettingLayer;
}

function parse<T>({ type, flag }: Setting<T>, text: string, where: string): T {
  const parsed = type.parse(text);
  if (parsed !== undefined) return parsed;
  throw new UsageError(`${where} ${mismatch(type, display(text))}`, {
    flag: where === flag ? flag : undefined,
    remedy: suggestion(type, text, value => (where === flag ? `${flag} ${value}` : `${where}=${value}`)),
  });
}

/** What was probably meant, as it would be written in its place. */
function suggestion(
  { suggest, secret }: Pick<SettingType<unknown>, 'suggest' | 'secret'>,
  text: string,
  written: (value: string) => string,
): string | undefined {
  const near = secret ? undefined : suggest?.(text);
  if (near === undefined) return undefined;
  return near.reason === undefined ? written(near.text) : `${written(near.text)} (${near.reason})`;
}

/** What is wrong with a value that does not parse. Secrets are not shown. */
function mismatch(
  { expected, secret }: Pick<SettingType<unknown>, 'expected' | 'secret'>,
  value: string,
): string {
  return `must be ${expected}${secret ? '' : `; got ${value}`}`;
}

/**
 * Resolves one setting at exactly one layer: flag, then environment, then file, then default.
 * @throws UsageError naming the flag, variable or key whose text is not a value.
 */
export function resolveFrom<T>(setting: Setting<T>, sources: SettingSources): ResolvedValue<T> {
  const { flag, env, type } = setting;
  const texts = flag === undefined ? undefined : sources.flag(flag);
  if (flag !== undefined && texts !== undefined) {
    return { value: type.collect?.(texts) ?? parse(setting, texts.at(-1) ?? '', flag), layer: 'flag' };
  }
  const variable = env === undefined ? undefined : sources.env[env];
  // An empty variable is an unset one, but for switches, where it says "off" (messaging details 16.3).
  if (env !== undefined && variable !== undefined && (variable !== '' || type.placeholder === undefined)) {
    return { value: parse(setting, variable, env), layer: 'env' };
  }
  const entry = findInFile(setting, sources.file);
  if (entry !== undefined && entry.value.kind !== 'null') {
    return { value: type.read(entry.value, entry.around), layer: 'file' };
  }
  return { value: setting.fallback, layer: 'default' };
}

/** @throws UsageError for a setting that is there under two names. */
function findInFile(
  { key, aliases = [] }: Setting<unknown>,
  file: SettingFile | undefined,
): ReturnType<SettingFile['find']> {
  const [first, second] = [key, ...aliases]
    .map(name => file?.find(name))
    .filter(entry => entry !== undefined);
  if (second !== undefined) throw fileError(second.value, `is the same as ${first?.value.key}`);
  return first;
}

/** The value of {@link resolveFrom}. */
export function resolve<T>(setting: Setting<T>, sources: SettingSources): T {
  return resolveFrom(setting, sources).value;
}

/** A group of settings. */
export type SettingGroup = Readonly<Record<string, Setting<unknown>>>;

/** The values of a group. */
export type Resolved<G extends SettingGroup> = {
  readonly [K in keyof G]: G[K] extends Setting<infer T> ? T : never;
};

/** Resolves every setting of a group. */
export function resolveAll<const G extends SettingGroup>(group: G, sources: SettingSources): Resolved<G> {
  const entries = Object.entries(group).map(([name, setting]) => [name, resolve(setting, sources)]);
  return Object.fromEntries(entries) as Resolved<G>; // one member per setting, of that setting's type
}

/** What the help says about a setting, with its variable and default. */
export function describe(setting: Setting<unknown>): string {
  const fallbackText = setting.type.format(setting.fallback);
  const facts = [
    ...(setting.env === undefined ? [] : [`env ${setting.env}`]),
    ...(fallbackText === '' || fallbackText === 'off' ? [] : [`default ${fallbackText}`]),
  ];
  return facts.length === 0 ? setting.help : `${setting.help} (${facts.join(', ')})`;
}

/** Reads a scalar of a file with the type's own parser. @throws UsageError */
export function readScalar<T>(
  type: Pick<SettingType<T>, 'parse' | 'expected' | 'secret' | 'suggest'>,
  value: FileValue,
): T {
  if (value.kind !== 'scalar') throw fileError(value, mismatch(type, `a ${value.kind}`));
  if (type.secret && value.emptied) throw fileError(value, 'is empty because its variable is not set');
  const parsed = type.parse(value.text);
  if (parsed !== undefined) return parsed;
  const name = value.key.split('.').at(-1);
  const remedy = suggestion(type, value.text, near => `${name}: ${JSON.stringify(near)}`);
  throw fileError(value, mismatch(type, display(value.text)), remedy);
}
