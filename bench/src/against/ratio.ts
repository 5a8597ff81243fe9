import type { Pair } from '../comparison.ts';
import { median, spread } from '../statistics.ts';

/** From here on a median says "slower", unless one of its pairs says otherwise. */
const TOLERATED = 1.03;

/** What is compared: a cost, so that a ratio above 1 is worse. */
export interface Cost<Sample> {
  readonly name: string;
  readonly of: (sample: Sample) => number;
  readonly digits: number;
}

/** One line: both sides and new ÷ old over the pairs, as medians with lowest and highest. */
export function ratioLine<Sample>(
  pairs: readonly Pair<Sample>[],
  { name, of, digits }: Cost<Sample>,
): string {
  const [now, before] = [pairs.map(({ engine }) => of(engine)), pairs.map(({ baseline }) => of(baseline))];
  const ratios = now.map((value, index) => value / (before[index] ?? Number.NaN));
  const isSlower = median(ratios) > TOLERATED && Math.min(...ratios) > 1;
  return (
    `${name}: new ${spread(now, digits)}, old ${spread(before, digits)}, ` +
    `new ÷ old ${spread(ratios, 3)} over ${pairs.length} pairs${isSlower ? ', SLOWER' : ''}`
  );
}
