import { formatDuration, parseDuration } from '@msg/core';
import type { SettingType } from './setting.ts';

/** A rate and its window; a rate of 0 or less means unlimited. */
export interface RateSetting {
  readonly rate: number;
  /** Milliseconds. */
  readonly perMs: number;
}

/**
 * Reads `N/<window>`: `100/s`, `600/m`, `50/250ms` (messaging details, section 13).
 * @returns `undefined` when the text is none, or the window is not above zero.
 */
export function parseRate(text: string): RateSetting | undefined {
  const match = /^(-?\d{1,9})\/(.+)$/.exec(text);
  const window = match?.[2] ?? '';
  const perMs = parseDuration(window) ?? parseDuration(`1${window}`);
  if (match === null || perMs === undefined || perMs <= 0) return undefined;
  return { rate: Number(match[1]), perMs };
}

/** A rate as `N/<window>`. */
export const rate: SettingType<RateSetting> = {
  placeholder: 'n/window',
  parse: parseRate,
  format: value => (value.rate > 0 ? `${value.rate}/${formatDuration(value.perMs)}` : ''),
  problem: 'invalid rate, expected N/window such as 100/s',
};
