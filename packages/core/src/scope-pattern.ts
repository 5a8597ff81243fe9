import { isSegment, type Visibility } from './channel-name.ts';
import { MsgError } from './errors.ts';

/** A parsed scope pattern; segments are literals, `*`, or `**` in the last place. */
export interface ScopePattern {
  readonly text: string;
  readonly visibility: Visibility;
  readonly segments: readonly string[];
}

/** Most segments of a pattern, wildcards counted. */
const MAX_PATTERN_SEGMENTS = 8;

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
 * Parses a scope pattern: a channel name in which `*` matches exactly one segment and a last `**` one or more.
 * @throws MsgError MSG_INVALID_ARGUMENT. Source: messaging details 4.2.
 */
export function parsePattern(text: string): ScopePattern {
  const result = problem(text);
  if (typeof result !== 'string') return result;
  const excerpt = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  throw new MsgError(
    'MSG_INVALID_ARGUMENT',
    `scope pattern ${JSON.stringify(excerpt)} is invalid: ${result}`,
  );
}

/** The pattern, or `undefined` for a text that is not a pattern. */
export function readPattern(text: string): ScopePattern | undefined {
  const result = problem(text);
  return typeof result === 'string' ? undefined : result;
}

/**
 * True when the pattern covers a channel of that visibility and those segments. The matcher does not apply the name
 * grammar, so it takes any number of segments.
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

/**
 * True when `outer` matches every text that `inner` matches: `private:a.**` covers `private:a.*.b`, and `private:a.*` does
 * not cover `private:a.**`. Source: app-developers 1, "grants".
 */
export function coversPattern(outer: ScopePattern, inner: ScopePattern): boolean {
  if (outer.visibility !== inner.visibility) return false;
  const [wide, narrow] = [fixedSegments(outer), fixedSegments(inner)];
  if (isOpen(outer)) {
    const shortest = narrow.length + (isOpen(inner) ? 1 : 0);
    if (shortest <= wide.length) return false;
  } else if (isOpen(inner) || narrow.length !== wide.length) return false;
  return wide.every((segment, index) => segment === '*' || segment === narrow[index]);
}

/** True when some text matches both patterns. */
export function overlapsPattern(left: ScopePattern, right: ScopePattern): boolean {
  if (left.visibility !== right.visibility) return false;
  const [first, second] = [fixedSegments(left), fixedSegments(right)];
  // A text that both match can be as short as the longer pattern, or a segment longer where `**` needs it.
  const longest = Math.max(first.length, second.length);
  const canMatch = (pattern: ScopePattern, fixed: number, length: number) =>
    isOpen(pattern) ? length > fixed : length === fixed;
  const hasLength = [longest, longest + 1].some(
    length => canMatch(left, first.length, length) && canMatch(right, second.length, length),
  );
  if (!hasLength) return false;
  return first.every((segment, index) => {
    const across = second[index];
    return across === undefined || segment === '*' || across === '*' || segment === across;
  });
}

function isOpen({ segments }: ScopePattern): boolean {
  return segments.at(-1) === '**';
}

/** The segments before a last `**`. */
function fixedSegments(pattern: ScopePattern): readonly string[] {
  return isOpen(pattern) ? pattern.segments.slice(0, -1) : pattern.segments;
}

/** How specific a pattern is: a literal segment counts 4, `*` 1, `**` 0 (messaging details 10.6 and 22). */
export function specificity(pattern: Pick<ScopePattern, 'segments'>): number {
  let sum = 0;
  for (const segment of pattern.segments) sum += segment === '**' ? 0 : segment === '*' ? 1 : 4;
  return sum;
}
