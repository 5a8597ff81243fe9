const LONGEST_LIST = 50;
const LONGEST_NAME = 128;
/** More than a document has nodes; keys of its rows may be without number. */
const MOST_COMPARED = 10_000;

/**
 * The candidates nearest to `name` first (edit distance, then name), cut at 50 (dashboard details 17). Of more than
 * 10,000 the others are not looked at.
 */
export function nearest(name: string, candidates: readonly string[]): string[] {
  const wanted = name.slice(0, LONGEST_NAME);
  return candidates
    .slice(0, MOST_COMPARED)
    .map(candidate => ({ candidate, distance: editDistance(wanted, candidate.slice(0, LONGEST_NAME)) }))
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, LONGEST_LIST)
    .map(({ candidate }) => candidate);
}

/** One row of the table is enough: what stood above and to the left is carried along. */
function editDistance(left: string, right: string): number {
  const row = Uint8Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let i = 1; i <= left.length; i += 1) {
    let diagonal = i - 1;
    let before = i;
    row[0] = i;
    for (let j = 1; j <= right.length; j += 1) {
      const above = row[j] ?? 0;
      const replaced = diagonal + (left.charCodeAt(i - 1) === right.charCodeAt(j - 1) ? 0 : 1);
      before = Math.min(replaced, above + 1, before + 1);
      row[j] = before;
      diagonal = above;
    }
  }
  return row[right.length] ?? 0;
}
