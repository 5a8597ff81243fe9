import { humanText, safeText } from '@msg/command-line/internal';
import { expect } from 'vitest';

const STYLE = { heading: String, label: String, error: String };
const NOW = Date.parse('2026-01-01T00:00:00Z');

/** Members and values at every depth of a payload. */
function leaves(value: unknown, name = ''): [name: string, value: unknown][] {
  if (typeof value !== 'object' || value === null) return [[name, value]];
  return Object.entries(value).flatMap(([key, item]) => leaves(item, Array.isArray(value) ? name : key));
}

function shown([name, value]: [string, unknown]): string {
  if (typeof value === 'number' && value > 0 && name.endsWith('_unix'))
    return new Date(value * 1000).toISOString();
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value))
    return new Date(value).toISOString();
  return value === null || value === '' ? '' : safeText(String(value));
}

/**
 * Expects that the human form of a payload holds every member, and that lines fit the width but for words that somebody
 * copies.
 */
export function expectHumanForm(payload: object): void {
  const form = { style: STYLE, now: NOW };
  // Texts of a nested value stand in JSON where the value is a cell.
  const wide = humanText(payload, { ...form, width: 80, wide: true }).replaceAll('\\"', '"');
  for (const leaf of leaves(payload)) {
    const text = shown(leaf);
    const isShown = wide.includes(text) || wide.includes(JSON.stringify(text).slice(1, -1));
    expect(isShown, `${leaf[0]} ${text} in\n${wide}`).toBe(true);
  }
  for (const width of [40, 80, 200]) {
    const lines = humanText(payload, { ...form, width, wide: false }).split('\n');
    const tooLong = lines.filter(line => line.length > width && Math.max(...wordLengths(line)) < width / 2);
    expect(tooLong).toEqual([]);
  }
}

function wordLengths(line: string): number[] {
  return line.split(/\s+/).map(word => word.length);
}
