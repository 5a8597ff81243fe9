const POLYNOMIAL = 0x1021;
const SLOTS = 16_384;

/** CRC-16/XMODEM. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ POLYNOMIAL : crc << 1) & 0xffff;
  }
  return crc;
}

/** What of a key counts: the hash tag, between the first brace and the next one that closes, unless it is empty. */
function hashTag(key: string): string {
  const open = key.indexOf('{');
  const close = key.indexOf('}', open + 1);
  return open >= 0 && close > open + 1 ? key.slice(open + 1, close) : key;
}

/** The slot, in [0, 16384), of a key or of a sharded PUB/SUB channel of a cluster (Redis cluster specification). */
export function keySlot(key: string): number {
  return crc16(Buffer.from(hashTag(key))) % SLOTS;
}
