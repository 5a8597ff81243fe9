import { formatDuration, parseDuration, readPattern } from '@msg/core';
import { type FileValue, requireList, requireMap } from './file-value.ts';
import { readScalar, type SettingType } from './setting.ts';

interface ScalarForm<T> {
  readonly placeholder: string | undefined;
  parse(text: string): T | undefined;
  format(value: T): string;
  readonly problem: string;
  show?(value: T): unknown;
  readonly secret?: true;
}

/** A type whose values are one text, the same in flags, variables and files. */
export function scalarType<T>(form: ScalarForm<T>): SettingType<T> {
  const read = (value: FileValue): T => readScalar(form, value);
  return { show: value => form.format(value), ...form, read };
}

export const text: SettingType<string> = scalarType({
  placeholder: 'text',
  parse: value => value,
  format: value => value,
  problem: 'invalid text',
});

/** A text that may be missing altogether, which is not the same as an empty one. */
export const optionalText: SettingType<string | undefined> = scalarType<string | undefined>({
  placeholder: 'text',
  parse: value => value,
  format: value => value ?? '',
  problem: 'invalid text',
});

/** A text that must not be shown. An empty one that came out of a reference is refused: it would guard nothing. */
export const secret: SettingType<string> = scalarType({
  placeholder: 'text',
  parse: value => value,
  format: () => '',
  show: value => (value === '' ? '' : '[redacted]'),
  problem: 'invalid text',
  secret: true,
});

const TRUE = new Set(['1', 't', 'true', 'y', 'yes', 'on']);
const FALSE = new Set(['0', 'f', 'false', 'n', 'no', 'off', '']);

/** On or off; in the environment and in files also spelled out (messaging details 16.3). */
export const toggle: SettingType<boolean> = scalarType({
  placeholder: undefined,
  parse(value) {
    const word = value.toLowerCase();
    return TRUE.has(word) ? true : FALSE.has(word) ? false : undefined;
  },
  format: value => (value ? 'on' : 'off'),
  show: value => value,
  problem: 'invalid boolean',
});

/** A Go duration; the value is milliseconds. */
export const duration: SettingType<number> = scalarType({
  placeholder: 'duration',
  parse: parseDuration,
  format: formatDuration,
  problem: 'invalid duration',
});

/** A Go duration above zero; the value is milliseconds. */
export const positiveDuration: SettingType<number> = scalarType({
  placeholder: 'duration',
  parse(value) {
    const ms = parseDuration(value);
    return ms !== undefined && ms > 0 ? ms : undefined;
  },
  format: formatDuration,
  problem: 'invalid duration, must be above 0',
});

/** A whole number, 0 or more. */
export const count: SettingType<number> = scalarType({
  placeholder: 'n',
  parse: value => (/^\d{1,9}$/.test(value) ? Number(value) : undefined),
  format: value => (value === 0 ? '' : String(value)),
  show: value => value,
  problem: 'invalid number',
});

/** A scope pattern (messaging details 4.2). */
export const pattern: SettingType<string> = scalarType({
  placeholder: 'pattern',
  parse: value => (readPattern(value) === undefined ? undefined : value),
  format: value => value,
  problem: 'invalid pattern, expected such as public:app.** or private:app.order.*',
});

/** One of a few words. */
export function choice<const W extends string>(...words: readonly W[]): SettingType<W> {
  return scalarType({
    placeholder: words.join('|'),
    parse: value => words.find(word => word === value),
    format: value => value,
    problem: `must be one of ${words.join(', ')}`,
  });
}

/** Texts; in the environment separated by commas, in files a list. */
export const list: SettingType<readonly string[]> = {
  placeholder: 'text',
  repeatable: true,
  parse: value =>
    value
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== ''),
  read: value => requireList(value).items.map(item => readScalar(text, item)),
  format: value => value.join(', '),
  show: value => value,
  problem: 'invalid list',
};

/** Texts by name; only files can express it. */
export const textMap: SettingType<ReadonlyMap<string, string>> = {
  placeholder: 'map',
  parse: () => undefined,
  read: value =>
    new Map([...requireMap(value).entries].map(([name, item]) => [name, readScalar(text, item)])),
  format: () => '',
  show: value => Object.fromEntries(value),
  problem: 'can only be given in a file',
};
