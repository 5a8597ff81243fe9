/** A payload carries its moment of publishing right behind this, as 16 digits: microseconds since boot. */
export const STAMP_MARKER = '"t":"';
export const STAMP_DIGITS = 16;

/** Microseconds of the monotonic clock, which all processes of a Linux machine share. */
export function nowUs(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** A copy of `bytes` that carries the present moment at its marker. */
export function stamped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const at = copy.indexOf(STAMP_MARKER) + STAMP_MARKER.length;
  copy.write(String(nowUs()).padStart(STAMP_DIGITS, '0'), at, 'latin1');
  return copy;
}
