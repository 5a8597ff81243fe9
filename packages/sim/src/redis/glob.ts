import type { Bytes } from './reply.ts';

/** Whether a text has the form of a pattern with `*`, `?`, `[…]` and `\\`. */
export function matchesGlob(pattern: Bytes, text: Bytes): boolean {
  let [inPattern, inText] = [0, 0];
  /** Where to go on when the text after the last `*` does not fit. */
  let [afterStar, starText] = [-1, 0];
  while (inText < text.length) {
    if (pattern[inPattern] === '*') {
      afterStar = ++inPattern;
      starText = inText;
      continue;
    }
    const taken = takes(pattern, inPattern, text[inText] ?? '');
    if (taken > 0) {
      inPattern += taken;
      inText++;
    } else if (afterStar === -1) return false;
    else {
      inPattern = afterStar;
      inText = ++starText;
    }
  }
  while (pattern[inPattern] === '*') inPattern++;
  return inPattern >= pattern.length;
}

/** How many characters of a pattern stand for this one; 0: they do not. */
function takes(pattern: Bytes, at: number, sign: string): number {
  const first = pattern[at];
  if (first === '?') return 1;
  if (first === '[') return ofClass(pattern, at + 1, sign);
  if (first === '\\' && at + 1 < pattern.length) return pattern[at + 1] === sign ? 2 : 0;
  return first === sign ? 1 : 0;
}

function ofClass(pattern: Bytes, begin: number, sign: string): number {
  const isNegated = pattern[begin] === '^';
  let holds = false;
  let at = isNegated ? begin + 1 : begin;
  for (; at < pattern.length && pattern[at] !== ']'; at++) {
    if (pattern[at] === '\\' && at + 1 < pattern.length) at++;
    const low = pattern[at] ?? '';
    if (pattern[at + 1] === '-' && at + 2 < pattern.length) {
      const ends = [low, pattern[at + 2] ?? ''].toSorted();
      holds ||= (ends[0] ?? '') <= sign && sign <= (ends[1] ?? '');
      at += 2;
    } else holds ||= low === sign;
  }
  return holds === isNegated ? 0 : at + 1 - begin + 1;
}
