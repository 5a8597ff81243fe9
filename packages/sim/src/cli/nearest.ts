/** The word that needs the fewest changes. */
export function nearest(word: string, words: readonly string[]): string {
  const [first = ''] = words.toSorted((left, right) => changes(word, left) - changes(word, right));
  return first;
}

/** Letters to insert, remove or replace (Levenshtein). */
function changes(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
