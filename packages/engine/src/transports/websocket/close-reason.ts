import { isJsonText } from '@msg/foundation/json';

/** What fits into a close frame (RFC 6455, 5.5). */
const REASON_BYTES = 123;

/**
 * The reason as it may stand in a close frame: never empty and never valid JSON, because stock clients would then
 * misread the code (client protocol 4.1), and cut at a character boundary to what fits.
 */
export function closeReason(code: number, reason: string): string {
  const text = reason === '' || isJsonText(reason) ? `disconnect ${code}: ${reason}` : reason;
  if (Buffer.byteLength(text) <= REASON_BYTES) return text;
  return Buffer.from(text)
    .subarray(0, REASON_BYTES)
    .toString()
    .replace(/\uFFFD+$/, '');
}
