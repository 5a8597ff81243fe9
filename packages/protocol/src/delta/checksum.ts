/**
 * Checksum of the delta format: the bytes as big-endian 32-bit words, the last one filled with zeros, summed
 * modulo 2^32 (client protocol, appendix B).
 */
export function checksum(bytes: Uint8Array): number {
  const whole = bytes.length & ~3;
  let sum = 0;
  for (let i = 0; i < whole; i += 4) {
    sum = (sum + ((bytes[i]! << 24) | (bytes[i + 1]! << 16) | (bytes[i + 2]! << 8) | bytes[i + 3]!)) | 0;
  }
  for (let i = whole; i < bytes.length; i++) sum = (sum + (bytes[i]! << (24 - (i - whole) * 8))) | 0;
  return sum >>> 0;
}
