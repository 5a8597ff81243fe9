import type { JsonSchema } from '@msg/foundation/shape';
import { type FileValue, requireList, requireMap } from './file-value.ts';
import { orReference, SCALAR, wholeNumber } from './json-schema.ts';
import { readScalar, type SettingType, type Suggestion } from './setting.ts';

interface ScalarForm<T> {
  readonly placeholder: string | undefined;
  parse(text: string): T | undefined;
  format(value: T): string;
  readonly expected: string;
  suggest?(text: string): Suggestion | undefined;
  show?(value: T): unknown;
  readonly secret?: true;
  /** The literal values that a file may have; any scalar by default. */
  readonly schema?: JsonSchema;
}

/** A type whose values are one text, the same in flags, variables and files. */
export function scalarType<T>(form: ScalarForm<T>): SettingType<T> {
  const read = (value: FileValue): T => readScalar(form, value);
  return { show: value => form.format(value), ...form, schema: orReference(form.schema ?? SCALAR), read };
}

/** Any text. */
export const text: SettingType<string> = scalarType({
  placeholder: 'text',
  parse: value => value,
  format: value => value,
  expected: 'a text',
});

/** A text that may be missing altogether, which is not the same as an empty one. */
export const optionalText: SettingType<string | undefined> = scalarType<string | undefined>({
  placeholder: 'text',
  parse: value => value,
  format: value => value ?? '',
  expected: 'a text',
});

/** A text that must not be shown. An empty one that came out of a reference is refused: it would guard nothing. */
export const secret: SettingType<string> = scalarType({
  placeholder: 'text',
  parse: value => value,
  format: () => '',
  show: value => (value === '' ? '' : '[redacted]'),
  expected: 'a text',
  secret: true,
});

const TRUE = new Set(['1', 't', 'true', 'y', 'yes', 'on']);
const FALSE = new Set(['0', 'f', 'false', 'n', 'no', 'off', '']);

/** A pattern of a word whose letters may be small or large. */
function inAnyCase(word: string): string {
  return word.replace(/[a-z]/g, letter => `[${letter}${letter.toUpperCase()}]`);
}

/** On or off; in the environment and in files also spelled out (messaging details 16.3). */
export const toggle: SettingType<boolean> = scalarType({
  placeholder: undefined,
  parse(value) {
    const word = value.toLowerCase();
    return TRUE.has(word) ? true : FALSE.has(word) ? false : undefined;
  },
  format: value => (value ? 'on' : 'off'),
  show: value => value,
  expected: 'on or off',
  schema: {
    anyOf: [
      { type: 'boolean' },
      { enum: [0, 1] },
      { type: 'string', pattern: `^(?:${[...TRUE, ...FALSE].map(inAnyCase).join('|')})$` },
    ],
  },
});

/** A whole number, 0 or more. */
export const count: SettingType<number> = scalarType({
  placeholder: 'n',
  parse: value => (/^\d{1,9}$/.test(value) ? Number(value) : undefined),
  format: value => (value === 0 ? '' : String(value)),
  show: value => value,
  expected: 'a whole number from 0 to 999999999',
  schema: wholeNumber(0, 999_999_999, 9),
});

/** A whole number that may be missing altogether, which is not the same as 0. */
export const optionalCount: SettingType<number | undefined> = scalarType<number | undefined>({
  placeholder: 'n',
  parse: count.parse,
  format: value => (value === undefined ? '' : String(value)),
  show: value => value,
  expected: count.expected,
  schema: wholeNumber(0, 999_999_999, 9),
});

/** A whole number above zero. */
export const positiveCount: SettingType<number> = scalarType({
  placeholder: 'n',
  parse: value => (/^\d{1,12}$/.test(value) && Number(value) > 0 ? Number(value) : undefined),
  format: value => String(value),
  show: value => value,
  expected: 'a whole number from 1 to 999999999999',
  schema: wholeNumber(1, 999_999_999_999, 12),
});

/** One of a few words. */
export function choice<const W extends string>(...words: readonly W[]): SettingType<W> {
  return scalarType({
    placeholder: words.join('|'),
    parse: value => words.find(word => word === value),
    format: value => value,
    expected: `one of ${words.join(', ')}`,
    schema: { enum: words },
  });
}

function parseList(value: string): readonly string[] {
  return value
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '');
}

/** Texts; in flags and in the environment separated by commas, in files a list. */
export const list: SettingType<readonly string[]> = {
  placeholder: 'text',
  collect: texts => texts.flatMap(parseList),
  parse: parseList,
  read: value => requireList(value).items.map(item => readScalar(text, item)),
  format: value => value.join(', '),
  show: value => value,
  expected: 'a list',
  schema: { type: 'array', items: SCALAR },
};

/** The texts of a flag that may be given several times, each as it is. */
export const texts: SettingType<readonly string[]> = {
  ...list,
  collect: values => values,
  parse: value => [value],
};

/** Texts by name; only files can express it. */
export const textMap: SettingType<ReadonlyMap<string, string>> = {
  placeholder: 'map',
  parse: () => undefined,
  read: value =>
    new Map([...requireMap(value).entries].map(([name, item]) => [name, readScalar(text, item)])),
  format: () => '',
  show: value => Object.fromEntries(value),
  expected: 'a map in a file',
  schema: { type: 'object', additionalProperties: SCALAR },
};
