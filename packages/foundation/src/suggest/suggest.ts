/** Longer words are compared by their start. */
const MAX_COMPARED_CHARACTERS = 128;
/** Pairs of characters that one call compares at most, enough for tens of thousands of names. */
const MAX_COMPARED_PAIRS = 10_000_000;
/** Longest result of `nearest`. */
const MAX_NEAREST = 50;

interface Compared {
  readonly candidate: string;
  readonly distance: number;
}

/**
 * The nearest candidate for a misspelled `word`, ignoring case: at most a third of the word's characters, and at least
 * one, may differ. Of equally near ones the first; `undefined` without a near one. Candidates beyond a limit of work (10
 * million pairs of characters) are not compared.
 */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  let nearestSoFar: string | undefined;
  let best = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const { candidate, distance } of compare(word, candidates, text => text.toLowerCase())) {
    if (distance >= best) continue;
    best = distance;
    nearestSoFar = candidate;
  }
  return nearestSoFar;
}

/**
 * The candidates in the order of their edit distance from `word`, then by their own text; the first 50. Candidates
 * beyond a bound of work (10 million pairs of characters) are not compared and not answered.
 */
export function nearest(word: string, candidates: Iterable<string>): string[] {
  return [...compare(word, candidates, text => text)]
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, MAX_NEAREST)
    .map(({ candidate }) => candidate);
}

function* compare(
  word: string,
  candidates: Iterable<string>,
  normalise: (text: string) => string,
): Iterable<Compared> {
  const left = normalise(word.slice(0, MAX_COMPARED_CHARACTERS));
  let pairs = 0;
  for (const candidate of candidates) {
    const right = normalise(candidate.slice(0, MAX_COMPARED_CHARACTERS));
    pairs += (left.length + 1) * (right.length + 1);
    if (pairs > MAX_COMPARED_PAIRS) return;
    yield { candidate, distance: editDistance(left, right) };
  }
}

/** Insertions, deletions, replacements and swaps of neighbours that turn `left` into `right`. */
function editDistance(left: string, right: string): number {
  const width = right.length + 1;
  // Three rows of the table are enough: a swap looks two rows up.
  let beforeLast = new Uint16Array(width);
  let last = Uint16Array.from({ length: width }, (_, column) => column);
  let row = new Uint16Array(width);
  for (let i = 1; i <= left.length; i++) {
    row[0] = i;
    for (let j = 1; j <= right.length; j++) {
      const same = left.charCodeAt(i - 1) === right.charCodeAt(j - 1);
      const replaced = (last[j - 1] ?? 0) + (same ? 0 : 1);
      let best = Math.min(replaced, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      if (
        i > 1 &&
        j > 1 &&
        left.charCodeAt(i - 1) === right.charCodeAt(j - 2) &&
        left.charCodeAt(i - 2) === right.charCodeAt(j - 1)
      ) {
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
      }
      row[j] = best;
    }
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return last[right.length] ?? 0;
}
