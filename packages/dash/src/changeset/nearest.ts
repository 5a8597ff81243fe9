const LONGEST_LIST = 50;
const LONGEST_NAME = 128;

/** The candidates nearest to `name` first (edit distance, then name), cut at 50 (dashboard details 17). */
export function nearest(name: string, candidates: readonly string[]): string[] {
  const wanted = name.slice(0, LONGEST_NAME);
  return candidates
    .map(candidate => ({ candidate, distance: editDistance(wanted, candidate.slice(0, LONGEST_NAME)) }))
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, LONGEST_LIST)
    .map(({ candidate }) => candidate);
}

function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
