import { fail } from '../command-error.ts';
import { fitsInt64 } from '../numbers.ts';
import type { Bytes } from '../reply.ts';

/** Whose error line it is, and whether the amount must be above 0. */
interface ExpiryUse {
  readonly command: Bytes;
  readonly positive?: boolean;
}

/**
 * Unix milliseconds of an expiry in seconds (`EX`, `EXAT`) or milliseconds (`PX`, `PXAT`), from now on or absolute.
 * @throws CommandError when a signed 64-bit integer does not hold it
 */
export function expiryMs(
  amount: bigint,
  unit: string,
  nowMs: number,
  { command, positive }: ExpiryUse,
): bigint {
  const factor = unit.startsWith('P') ? 1n : 1000n;
  const base = unit.endsWith('AT') ? 0n : BigInt(nowMs);
  const inMs = amount * factor;
  if ((positive === true && amount <= 0n) || !fitsInt64(inMs) || !fitsInt64(inMs + base))
    fail(`ERR invalid expire time in '${command}' command`);
  return inMs + base;
}
