/**
 * Ids that keep their order: a longest increasing subsequence, so that only moved nodes are reported, not their
 * neighbours.
 */
export function longestCommonOrder(before: readonly string[], after: readonly string[]): Set<string> {
  const rank = new Map(before.map((id, index) => [id, index]));
  const tails: { rank: number; chain: Chain }[] = [];
  for (const id of after) {
    const value = rank.get(id);
    if (value === undefined) continue;
    const at = firstNotBelow(tails, value);
    tails[at] = { rank: value, chain: { id, previous: tails[at - 1]?.chain } };
  }
  const ids = new Set<string>();
  for (let link = tails.at(-1)?.chain; link !== undefined; link = link.previous) ids.add(link.id);
  return ids;
}

/** Index of the first tail whose rank is at least `value`; the ranks ascend. */
function firstNotBelow(tails: readonly { readonly rank: number }[], value: number): number {
  let [low, high] = [0, tails.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((tails[middle]?.rank ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Chain {
  readonly id: string;
  readonly previous: Chain | undefined;
}
