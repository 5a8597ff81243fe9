import { EncodeError } from '../encode-error.ts';
import type { Kind } from './kind.ts';

/**
 * Refuses a number that its integer field cannot hold; a 64-bit field holds every integer that a double holds exactly.
 */
export function checkRange(kind: Kind, value: number): void {
  if (!Number.isSafeInteger(value)) throw new EncodeError('out_of_range', 'not a safe integer');
  if (
    kind === 'u32' ? value >>> 0 !== value : kind === 'i32' ? (value | 0) !== value : isBelow(kind, value)
  ) {
    throw new EncodeError('out_of_range', 'number outside the range of its field');
  }
}

function isBelow(kind: Kind, value: number): boolean {
  return kind === 'u64' && value < 0;
}
