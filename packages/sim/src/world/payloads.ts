import type { Stream } from '../kernel/stream.ts';
import type { MemorySwitches } from '../plan/memory-switches.ts';

/** Lengths of what is not the number of a publication. */
const LENGTHS: Readonly<Record<Exclude<MemorySwitches['payloads'], 'similar'>, readonly number[]>> = {
  small: [0, 10],
  mixed: [0, 10, 200, 5000],
  large: [0, 200, 200, 200, 200, 200, 20_000],
};
/** Mean pauses of a publisher, of which each channel has one; rare and daily: where a run lasts hours, or weeks. */
export const PAUSES_MS: Readonly<Record<MemorySwitches['publishing'] | 'rare' | 'daily', readonly number[]>> =
  {
    mixed: [50, 500, 3000, 20_000],
    dense: [20, 50, 200],
    sparse: [3000, 20_000],
    rare: [60_000, 300_000, 1_200_000],
    daily: [3_600_000, 21_600_000, 86_400_000],
  };
/** Letters of a text that hardly changes. */
const SIMILAR_LENGTH = 1000;

/** What one publisher fills its publications with. */
export function padding(payloads: MemorySwitches['payloads'], stream: Stream): () => string {
  if (payloads !== 'similar') return () => 'x'.repeat(stream.pick(LENGTHS[payloads]));
  const letters = Array.from({ length: SIMILAR_LENGTH }, () => letter(stream));
  return () => {
    letters[stream.below(letters.length)] = letter(stream);
    return letters.join('');
  };
}

/** A letter of the Latin, Greek or Cyrillic alphabet: one or two bytes. */
function letter(stream: Stream): string {
  return String.fromCharCode(stream.pick([0x61, 0x3b1, 0x430]) + stream.below(20));
}
