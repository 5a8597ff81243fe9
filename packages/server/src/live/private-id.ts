import type { Random } from '@msg/foundation/clock';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const LENGTH = 26;

/** An id that cannot be guessed: 26 characters of `a-z2-7`. */
export function privateId(random: Pick<Random, 'bytes'>): string {
  return Array.from(random.bytes(LENGTH), byte => ALPHABET[byte % ALPHABET.length]).join('');
}
