/** One line of a difference: of both texts, or of one. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Comparisons of two lines that a difference may take; a larger middle is shown as removed and added as a whole. */
const MOST_STEPS = 4_000_000;

/** The lines of two texts with what was removed and added, by their longest common order. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, current] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < Math.min(old.length, current.length) && old[start] === current[start]) start++;
  let end = 0;
  const most = Math.min(old.length, current.length) - start;
  while (end < most && old.at(-1 - end) === current.at(-1 - end)) end++;
  const middle = diffMiddle(old.slice(start, old.length - end), current.slice(start, current.length - end));
  return [...old.slice(0, start).map(same), ...middle, ...old.slice(old.length - end).map(same)];
}

const same = (text: string): DiffLine => ({ kind: 'same', text });
const removed = (text: string): DiffLine => ({ kind: 'removed', text });
const added = (text: string): DiffLine => ({ kind: 'added', text });

function diffMiddle(old: readonly string[], current: readonly string[]): DiffLine[] {
  if (old.length * current.length > MOST_STEPS) return [...old.map(removed), ...current.map(added)];
  const lengths = commonLengths(old, current);
  const width = current.length + 1;
  const lines: DiffLine[] = [];
  let [left, right] = [0, 0];
  while (left < old.length && right < current.length) {
    const [was = '', is = ''] = [old[left], current[right]];
    if (was === is) {
      lines.push(same(was));
      left++;
      right++;
    } else if ((lengths[(left + 1) * width + right] ?? 0) >= (lengths[left * width + right + 1] ?? 0)) {
      lines.push(removed(was));
      left++;
    } else {
      lines.push(added(is));
      right++;
    }
  }
  return [...lines, ...old.slice(left).map(removed), ...current.slice(right).map(added)];
}

/** For each pair of places how long the longest common order of the lines behind them is. */
function commonLengths(old: readonly string[], current: readonly string[]): Uint32Array {
  const width = current.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let left = old.length - 1; left >= 0; left--) {
    for (let right = current.length - 1; right >= 0; right--) {
      const at = left * width + right;
      lengths[at] =
        old[left] === current[right]
          ? (lengths[at + width + 1] ?? 0) + 1
          : Math.max(lengths[at + width] ?? 0, lengths[at + 1] ?? 0);
    }
  }
  return lengths;
}

/** Lines around what differs; of a longer run without a difference only how many there are. */
export function nearbyLines(
  lines: readonly DiffLine[],
  around: number,
): (DiffLine | { readonly hidden: number })[] {
  const isNear = new Array<boolean>(lines.length).fill(false);
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    isNear.fill(true, Math.max(0, index - around), index + around + 1);
  }
  const shown: (DiffLine | { readonly hidden: number })[] = [];
  let hidden = 0;
  for (const [index, line] of lines.entries()) {
    if (isNear[index] === true) {
      if (hidden > 0) shown.push({ hidden });
      hidden = 0;
      shown.push(line);
    } else hidden++;
  }
  return hidden > 0 ? [...shown, { hidden }] : shown;
}
