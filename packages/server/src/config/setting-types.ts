import { type SettingType, scalarType } from '@msg/command-line';
import { formatDuration, parseDuration, readPattern } from '@msg/core';

/** A Go duration; the value is milliseconds. */
export const duration: SettingType<number> = scalarType({
  placeholder: 'duration',
  parse: parseDuration,
  format: formatDuration,
  expected: 'a duration such as 1h30m',
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
});

/** A scope pattern (messaging details 4.2). */
export const pattern: SettingType<string> = scalarType({
  placeholder: 'pattern',
  parse: value => (readPattern(value) === undefined ? undefined : value),
  format: value => value,
  expected: 'a pattern such as public:app.** or private:app.order.*',
});
