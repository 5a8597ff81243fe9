import { type SettingType, type Suggestion, scalarType } from '@msg/command-line';
import { fileError, readScalar, requireList } from '@msg/command-line/internal';
import type { Verb } from '@msg/core';
import { formatDuration, isVerb, parseDuration, readPattern, VERBS } from '@msg/core/internal';

const PARTS = '(?:(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:ns|us|µs|μs|ms|s|m|h))+';

/** The syntax of durations, `1h30m`, as a JSON Schema; zero needs no unit. */
const DURATION = {
  anyOf: [{ const: 0 }, { type: 'string', pattern: `^[+-]?(?:0|${PARTS})$` }],
};

/** The same for durations above zero. */
const POSITIVE_DURATION = { type: 'string', pattern: `^\\+?(?=[^1-9]*[1-9])${PARTS}$` };

const DAY_HOURS = 24;

/** A number without a unit means seconds; days and weeks are written in hours. */
function suggestDuration(text: string): Suggestion | undefined {
  const [, number = '', unit = ''] = /^(\d{1,9})(d|w|)$/.exec(text.trim().toLowerCase()) ?? [];
  if (number === '') return undefined;
  if (unit === '') return { text: `${number}s` };
  const hours = Number(number) * DAY_HOURS * (unit === 'w' ? 7 : 1);
  return { text: `${hours}h`, reason: 'h is the largest unit' };
}

/** A Go duration; the value is milliseconds. */
export const duration: SettingType<number> = scalarType({
  placeholder: 'duration',
  parse: parseDuration,
  format: formatDuration,
  expected: 'a duration such as 1h30m',
  suggest: suggestDuration,
  schema: DURATION,
});

/** A Go duration above zero; the value is milliseconds. */
export const positiveDuration: SettingType<number> = scalarType({
  placeholder: 'duration',
  format: formatDuration,
  parse(value) {
    const ms = parseDuration(value);
    return ms !== undefined && ms > 0 ? ms : undefined;
  },
  expected: 'a duration above 0 such as 1h30m',
  suggest: suggestDuration,
  schema: POSITIVE_DURATION,
});

/** A scope pattern (messaging details 4.2). */
export const pattern: SettingType<string> = scalarType({
  placeholder: 'pattern',
  parse: value => (readPattern(value) === undefined ? undefined : value),
  format: value => value,
  expected: 'a pattern such as public:app.** or private:app.order.*',
});

const verb = scalarType<Verb>({
  placeholder: 'verb',
  parse: value => (isVerb(value) ? value : undefined),
  format: value => value,
  expected: `one of ${VERBS.join(', ')}`,
});

/** What a grant allows: at least one verb. */
export const verbs: SettingType<readonly Verb[]> = {
  placeholder: 'list',
  parse: () => undefined,
  read(value) {
    const words = requireList(value).items.map(item => readScalar(verb, item));
    if (words.length === 0) throw fileError(value, 'must hold at least one verb');
    return words;
  },
  format: value => value.join(', '),
  show: value => value,
  expected: 'a list in a file',
  schema: { type: 'array', items: { enum: VERBS }, minItems: 1 },
};

/** How many threads: 1 to 32, or `auto`. */
export const threads: SettingType<number | 'auto'> = scalarType<number | 'auto'>({
  placeholder: 'number|auto',
  parse(value) {
    if (value === 'auto') return value;
    return /^(?:[1-9]|[12]\d|3[0-2])$/.test(value) ? Number(value) : undefined;
  },
  format: String,
  show: value => value,
  expected: 'an integer from 1 to 32 or auto',
  schema: {
    anyOf: [
      { type: 'integer', minimum: 1, maximum: 32 },
      { type: 'string', pattern: '^(?:auto|[1-9]|[12]\\d|3[0-2])$' },
    ],
  },
});

/** A part of a whole, 0 to 1. */
export const share: SettingType<number> = scalarType({
  placeholder: 'share',
  parse: value => (/^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?|\.\d{1,9})$/.test(value) ? Number(value) : undefined),
  format: String,
  show: value => value,
  expected: 'a number from 0 to 1 such as 0.01',
  schema: {
    anyOf: [
      { type: 'number', minimum: 0, maximum: 1 },
      { type: 'string', pattern: '^(?:0(?:\\.\\d{1,9})?|1(?:\\.0{1,9})?|\\.\\d{1,9})$' },
    ],
  },
});
