import { escapeControls } from '../document/display.ts';
import type { SaveOptions } from './contract.ts';

const LONGEST_TRAILER = 100;

/**
 * Subject, one line per operation, and trailers: the revision that the edit was made on, and what the commit says of
 * itself. Neither a pointer nor a value can add a line.
 */
export function commitMessage(
  subject: string,
  summary: readonly string[] = [],
  base?: string,
  trailers: SaveOptions['trailers'] = {},
): string {
  const body = summary.map(escapeControls).join('\n');
  const further = Object.entries(trailers).map(([name, value]) => [name, trailerValue(value)]);
  const all = [...(base === undefined ? [] : [['Dash-Base-Revision', base]]), ...further];
  const lines = all.map(([name, value]) => `${name}: ${value}`).join('\n');
  return `${[escapeControls(subject), body, lines].filter(Boolean).join('\n\n')}\n`;
}

function trailerValue(value: string): string {
  const line = escapeControls(value).trim();
  return line.length <= LONGEST_TRAILER ? line : `${line.slice(0, LONGEST_TRAILER - 1).toWellFormed()}…`;
}

/**
 * The trailers of a commit message that this service writes, by name. They are its last paragraph; a person who commits by
 * hand can write them, too.
 */
export function dashTrailers(message: string): ReadonlyMap<string, string> {
  const lines = message.trimEnd().split('\n\n').at(-1)?.split('\n') ?? [];
  const matches = lines.map(line => /^(Dash-[A-Za-z-]+): (.+)$/.exec(line));
  if (matches.includes(null)) return new Map();
  return new Map(matches.map(match => [match?.[1] ?? '', match?.[2] ?? '']));
}
