import { formatDuration, MsgError, parseDuration } from '@msg/core';

/** How the text of a setting is read and shown. */
export interface SettingType<T> {
  /** Placeholder in help texts; `undefined` for a switch, whose flag takes no value. */
  readonly placeholder: string | undefined;
  /** @returns the value, or `undefined` when the text is not one. */
  parse(text: string): T | undefined;
  format(value: T): string;
  /** What is wrong with a text that does not parse. */
  readonly problem: string;
  /** The flag may be given several times; its texts are joined with commas. */
  readonly repeatable?: true;
}

/**
 * One setting, declared once: the command line, the environment, the help text and the configuration file all read
 * this.
 */
export interface Setting<T> {
  /** Key path in the configuration file; error texts name it. */
  readonly key: string;
  /** Absent for settings that would show secrets on a command line, or that only a file can express. */
  readonly flag?: string;
  readonly short?: string;
  readonly env?: string;
  readonly type: SettingType<T>;
  readonly fallback: T;
  readonly help: string;
}

export const text: SettingType<string> = {
  placeholder: 'text',
  parse: value => value,
  format: value => value,
  problem: 'invalid text',
};

const TRUE = new Set(['1', 't', 'true', 'y', 'yes', 'on']);
const FALSE = new Set(['0', 'f', 'false', 'n', 'no', 'off', '']);

/** On or off; in the environment and in files also spelled out (messaging details 16.3). */
export const toggle: SettingType<boolean> = {
  placeholder: undefined,
  parse(value) {
    const word = value.toLowerCase();
    return TRUE.has(word) ? true : FALSE.has(word) ? false : undefined;
  },
  format: value => (value ? 'on' : 'off'),
  problem: 'invalid boolean',
};

/** A Go duration; the value is milliseconds. */
export const duration: SettingType<number> = {
  placeholder: 'duration',
  parse: parseDuration,
  format: formatDuration,
  problem: 'invalid duration',
};

/** A whole number, 0 or more. */
export const count: SettingType<number> = {
  placeholder: 'n',
  parse: value => (/^\d{1,9}$/.test(value) ? Number(value) : undefined),
  format: value => (value === 0 ? '' : String(value)),
  problem: 'invalid number',
};

/** Texts; in the environment separated by commas. */
export const list: SettingType<readonly string[]> = {
  placeholder: 'text',
  repeatable: true,
  parse: value =>
    value
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== ''),
  format: value => value.join(', '),
  problem: 'invalid list',
};

/** Texts from outside: one command's flags as given, and the environment. */
export interface SettingSources {
  /** The text of a flag that was given; for a switch its presence counts as `true`. */
  flag(name: string): string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

function read<T>(setting: Setting<T>, value: string, where: string): T {
  const parsed = setting.type.parse(value);
  if (parsed !== undefined) return parsed;
  throw new MsgError('MSG_INVALID_ARGUMENT', `${setting.key}: ${setting.type.problem} (${where})`);
}

/**
 * Settles one setting at exactly one layer: flag, then environment, then default.
 * @throws MsgError MSG_INVALID_ARGUMENT naming the key when the text is not a value.
 */
export function settle<T>(setting: Setting<T>, sources: SettingSources): T {
  if (setting.flag !== undefined) {
    const given = sources.flag(setting.flag);
    if (given !== undefined) return read(setting, given, setting.flag);
  }
  const fromEnv = setting.env === undefined ? undefined : sources.env[setting.env];
  // An empty variable is an unset one, but for switches, where it is spelled "off" (same thing).
  if (setting.env !== undefined && fromEnv !== undefined && fromEnv !== '')
    return read(setting, fromEnv, setting.env);
  return setting.fallback;
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
