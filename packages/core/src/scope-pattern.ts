import { isSegment, type Visibility } from './channel-name.ts';
import { MsgError } from './errors.ts';

/** A scope pattern taken apart; segments are literals, `*`, or `**` in the last place. */
export interface ScopePattern {
  readonly text: string;
  readonly visibility: Visibility;
  readonly segments: readonly string[];
}

/** Most segments of a pattern, wildcards counted. */
export const MAX_PATTERN_SEGMENTS = 8;

function problem(text: string): string | ScopePattern {
  const colon = text.indexOf(':');
  const visibility = text.slice(0, Math.max(colon, 0));
  if (visibility !== 'public' && visibility !== 'private') return 'visibility must be public or private';
  const segments = text.slice(colon + 1).split('.');
  if (segments.length > MAX_PATTERN_SEGMENTS) return `more than ${MAX_PATTERN_SEGMENTS} segments`;
  for (const [index, segment] of segments.entries()) {
    if (segment === '*') continue;
    if (segment === '**') {
      if (index !== segments.length - 1) return '** is allowed only as the last segment';
    } else if (!isSegment(segment)) {
      return 'segments are *, ** or lower-case letters, digits, "-" and "_"';
    }
  }
  return { text, visibility, segments };
}

/**
 * Takes a scope pattern apart: a channel name in which `*` matches exactly one segment and a last `**` for
 * one or more.
 * @throws MsgError MSG_INVALID_ARGUMENT. Source: messaging details 4.2.
 */
export function parsePattern(text: string): ScopePattern {
  const result = problem(text);
  if (typeof result !== 'string') return result;
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  throw new MsgError('MSG_INVALID_ARGUMENT', `scope pattern ${JSON.stringify(shown)} is invalid: ${result}`);
}

/** The pattern, or `undefined` for a text that is not a pattern. */
export function readPattern(text: string): ScopePattern | undefined {
  const result = problem(text);
  return typeof result === 'string' ? undefined : result;
}

/**
 * True when the pattern covers a channel of that visibility and those segments. The matcher does not apply the
 * name grammar, so it answers for any number of segments.
 */
export function matchesPattern(
  pattern: Pick<ScopePattern, 'visibility' | 'segments'>,
  channel: { readonly visibility: string; readonly segments: readonly string[] },
): boolean {
  if (pattern.visibility !== channel.visibility) return false;
  const wanted = pattern.segments;
  const open = wanted.at(-1) === '**';
  const fixed = open ? wanted.length - 1 : wanted.length;
  if (open ? channel.segments.length <= fixed : channel.segments.length !== fixed) return false;
  for (let index = 0; index < fixed; index++) {
    const segment = wanted[index];
    if (segment !== '*' && segment !== channel.segments[index]) return false;
  }
  return true;
}

/** How specific a pattern is: a literal segment counts 4, `*` 1, `**` 0 (messaging details 10.6 and 22). */
export function specificity(pattern: Pick<ScopePattern, 'segments'>): number {
  let sum = 0;
  for (const segment of pattern.segments) sum += segment === '**' ? 0 : segment === '*' ? 1 : 4;
  return sum;
}
