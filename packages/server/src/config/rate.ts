import { type SettingType, scalarType } from '@msg/command-line';
import { fileError, oneOf, readScalar } from '@msg/command-line/internal';
import { formatDuration, parseDuration } from '@msg/core/internal';
import { positiveDuration } from './setting-types.ts';

/** A rate and its window; a rate of 0 or less means unlimited. */
export interface RateSetting {
  readonly rate: number;
  /** Milliseconds. */
  readonly perMs: number;
}

/**
 * Reads `N/<window>`: `100/s`, `600/m`, `50/250ms` (messaging details, section 13).
 * @returns `undefined` when the text is not a rate, or the window is not above zero.
 */
export function parseRate(text: string): RateSetting | undefined {
  const match = /^(-?\d{1,9})\/(.+)$/.exec(text);
  const window = match?.[2] ?? '';
  const perMs = parseDuration(window) ?? parseDuration(`1${window}`);
  if (match === null || perMs === undefined || perMs <= 0) return undefined;
  return { rate: Number(match[1]), perMs };
}

const integer = scalarType<number>({
  placeholder: 'n',
  parse: value => (/^-?\d{1,9}$/.test(value) ? Number(value) : undefined),
  format: String,
  expected: 'a whole number',
  schema: oneOf({ type: 'integer' }, { type: 'string', pattern: '^-?\\d{1,9}$' }),
});

export function formatRate({ rate, perMs }: RateSetting): string {
  return rate > 0 ? `${rate}/${formatDuration(perMs)}` : '';
}

/** A rate as `N/<window>`; in files two keys, `rate` and beside it `per`. */
export const rate: SettingType<RateSetting> = {
  placeholder: 'n/window',
  parse: parseRate,
  format: formatRate,
  show: formatRate,
  expected: 'a rate such as 100/s, 600/m or 50/250ms',
  schema: integer.schema ?? {},
  companions: { per: 'window of that rate, a duration; required with a rate above 0' },
  read(value, around) {
    const per = around.entries.get('per');
    const number = readScalar(integer, value);
    const perMs = per === undefined || per.kind === 'null' ? 0 : readScalar(positiveDuration, per);
    if (number > 0 && perMs === 0) {
      throw fileError({ ...value, key: `${around.key}.per` }, 'is required when rate is set');
    }
    return { rate: number, perMs };
  },
};
