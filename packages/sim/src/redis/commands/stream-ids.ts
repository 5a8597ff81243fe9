import { fail } from '../command-error.ts';
import { readUnsigned } from '../numbers.ts';
import type { Bytes } from '../reply.ts';
import { ID_MAX, idOf, SEQUENCE_MAX } from '../stream-value.ts';

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
  const [milliseconds = '', sequence, ...more] = text.split('-');
  const above = readUnsigned(milliseconds);
  const below = sequence === undefined ? missing : readUnsigned(sequence);
  if (above === undefined || below === undefined || more.length > 0) return fail(INVALID_ID);
  return idOf(above, below);
}

/** One end of XRANGE; `(` leaves the id out. @throws CommandError */
export function rangeEnd(text: Bytes, end: 'start' | 'end'): bigint {
  const missing = end === 'start' ? 0n : SEQUENCE_MAX;
  if (!text.startsWith('(') || text.length < 2) return rangeId(text, missing);
  const id = strictId(text.slice(1), missing);
  if (end === 'start') return id === ID_MAX ? fail('ERR invalid start ID for the interval') : id + 1n;
  return id === 0n ? fail('ERR invalid end ID for the interval') : id - 1n;
}
