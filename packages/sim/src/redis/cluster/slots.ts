import type { CommandTraits } from '../command-traits.ts';
import type { Bytes } from '../reply.ts';

export const SLOTS = 16_384;

const POLYNOMIAL = 0x1021;
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ ((crc & 0x8000) === 0 ? 0 : POLYNOMIAL);
  return crc & 0xffff;
});

/** The slot of a key: of its hash tag, if it has one that is not empty. */
export function slotOf(key: Bytes): number {
  const begin = key.indexOf('{');
  const end = begin === -1 ? -1 : key.indexOf('}', begin + 1);
  const hashed = end > begin + 1 ? key.slice(begin + 1, end) : key;
  let crc = 0;
  for (let at = 0; at < hashed.length; at++)
    crc = ((crc << 8) ^ (TABLE[((crc >> 8) ^ hashed.charCodeAt(at)) & 0xff] ?? 0)) & 0xffff;
  return crc % SLOTS;
}

/** The keys among the words of a command. */
export function keysOf({ name, keys }: CommandTraits, args: readonly Bytes[]): readonly Bytes[] {
  if (name === 'eval' || name === 'evalsha') return keysOfScript(args);
  if (keys === undefined) return [];
  const [first, last, step] = keys;
  const end = last < 0 ? args.length + last : last;
  return args.filter((_, at) => at >= first && at <= end && (at - first) % step === 0);
}

/** None where the number of keys is wrong: the command itself refuses it. */
function keysOfScript([, , amount = '', ...rest]: readonly Bytes[]): readonly Bytes[] {
  const count = /^\d{1,9}$/.test(amount) ? Number(amount) : 0;
  return count > rest.length ? [] : rest.slice(0, count);
}
