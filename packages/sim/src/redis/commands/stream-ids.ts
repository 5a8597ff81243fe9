import { fail } from '../command-error.ts';
import { asC, readInteger, readUnsigned } from '../numbers.ts';
import type { Bytes } from '../reply.ts';
import { ID_MAX, idOf, SEQUENCE_MAX } from '../stream-value.ts';

const LONGEST_ID = 127;
export const INVALID_ID = 'ERR Invalid stream ID specified as stream command argument';

/**
 * The id of a range: `-` and `+` are the least and the greatest; without its second half it is the first or last of
 * its millisecond.
 * @throws CommandError
 */
function rangeId(text: Bytes, missing: bigint): bigint {
  if (text === '-') return 0n;
  if (text === '+') return ID_MAX;
  return strictId(text, missing);
}

/** @throws CommandError */
export function strictId(text: Bytes, missing: bigint): bigint {
  const dash = asC(text).indexOf('-');
  const above = readHalf(dash === -1 ? text : text.slice(0, dash));
  const below = dash === -1 ? missing : readHalf(text.slice(dash + 1));
  if (above === undefined || below === undefined || text.length > LONGEST_ID) return fail(INVALID_ID);
  return idOf(above, below);
}

/** A negative number is refused as such, and one that C reads in another way counts down from 2^64. */
export function readHalf(text: Bytes): bigint | undefined {
  const plain = readInteger(asC(text));
  if (plain === undefined) return readUnsigned(text);
  return plain < 0n ? undefined : plain;
}

/** One end of XRANGE; `(` leaves the id out. @throws CommandError */
export function rangeEnd(text: Bytes, end: 'start' | 'end'): bigint {
  const missing = end === 'start' ? 0n : SEQUENCE_MAX;
  if (!text.startsWith('(') || text.length < 2) return rangeId(text, missing);
  const id = strictId(text.slice(1), missing);
  if (end === 'start') return id === ID_MAX ? fail('ERR invalid start ID for the interval') : id + 1n;
  return id === 0n ? fail('ERR invalid end ID for the interval') : id - 1n;
}
