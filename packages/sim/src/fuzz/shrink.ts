/** Sequences that are tried before the shortest one so far is taken. */
const TRIES = 400;

/** The shortest list that still fails, by leaving out ever smaller parts. */
export async function shortest<T>(
  items: readonly T[],
  fails: (items: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let left = items;
  let tries = 0;
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < left.length && tries < TRIES; tries++) {
      const shorter = left.toSpliced(at, size);
      if (shorter.length > 0 && (await fails(shorter))) left = shorter;
      else at += size;
    }
  }
  return left;
}
