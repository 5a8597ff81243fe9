import type { Random } from '@msg/foundation/clock';

const EPOCH_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A new epoch: eight random letters. */
export function newEpoch(random: Random): string {
  let epoch = '';
  for (const byte of random.bytes(8)) epoch += EPOCH_ALPHABET[byte % EPOCH_ALPHABET.length];
  return epoch;
}
