import type { Setting, SettingType } from './setting.ts';
import { optionalText, text, toggle } from './setting-types.ts';

/** What a setting may have besides its key, type, default and meaning. */
export type SettingExtras = Partial<
  Pick<Setting<unknown>, 'aliases' | 'flag' | 'short' | 'env' | 'placeholder' | 'required'>
>;

/** What a flag may have besides its name, type, default and meaning. */
export type FlagExtras = Omit<SettingExtras, 'aliases' | 'flag'>;

/** A setting of a configuration file, with a flag and a variable where `extras` name them. */
export function setting<T>(
  key: string,
  type: SettingType<T>,
  fallback: NoInfer<T>,
  help: string,
  extras: SettingExtras = {},
): Setting<T> {
  return { key, type, fallback, help, ...extras };
}

/** A flag with a value of any type. */
export function valueFlag<T>(
  flag: `--${string}`,
  type: SettingType<T>,
  fallback: NoInfer<T>,
  help: string,
  extras: FlagExtras = {},
): Setting<T> {
  return setting(flag.slice(2), type, fallback, help, { flag, ...extras });
}

/** A flag with a text, which may be absent. */
export function textFlag(
  flag: `--${string}`,
  placeholder: string,
  help: string,
  extras: FlagExtras = {},
): Setting<string | undefined> {
  return valueFlag(flag, optionalText, undefined, help, { placeholder, ...extras });
}

/** A flag with a text that has a default. */
export function defaultFlag(
  flag: `--${string}`,
  placeholder: string,
  fallback: string,
  help: string,
  extras: FlagExtras = {},
): Setting<string> {
  return valueFlag(flag, text, fallback, help, { placeholder, ...extras });
}

/** A flag without a value. */
export function switchFlag(flag: `--${string}`, help: string, extras: FlagExtras = {}): Setting<boolean> {
  return valueFlag(flag, toggle, false, help, extras);
}
