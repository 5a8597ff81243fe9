// Just enough of RFC 6455 for a client that costs little.

/** The upgrade of every connection; the key may repeat. */
export function upgradeRequest(subprotocol: string | null): Buffer {
  const offer = subprotocol === null ? '' : `Sec-WebSocket-Protocol: ${subprotocol}\r\n`;
  return Buffer.from(
    'GET /connection/websocket HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${offer}\r\n`,
  );
}

const FIN = 0x80;
const MASKED = 0x80;
export const TEXT = 0x1;
export const BINARY = 0x2;
const CLOSE = 0x8;

/** A masked frame of at most 65,535 bytes, as clients send them. The mask is zero. */
export function clientFrame(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  const header =
    length < 126
      ? [FIN | opcode, MASKED | length, 0, 0, 0, 0]
      : [FIN | opcode, MASKED | 126, length >> 8, length & 0xff, 0, 0, 0, 0];
  return Buffer.concat([Buffer.from(header), payload]);
}

/** An unmasked frame of at most 65,535 bytes, as servers send them. */
export function serverFrame(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  const header = length < 126 ? [FIN | opcode, length] : [FIN | opcode, 126, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(header), payload]);
}

/** A close frame, and the payloads that came before it. */
export class ClosedByServer extends Error {
  override readonly name = 'ClosedByServer';
  readonly code: number;
  readonly payloads: readonly Buffer[];

  constructor(payload: Buffer, payloads: readonly Buffer[]) {
    const code = payload.readUInt16BE();
    super(`the server closed a connection: ${code} ${payload.subarray(2)}`);
    this.code = code;
    this.payloads = payloads;
  }
}

/**
 * Payloads of the complete frames at the start of `bytes`, and how many bytes those took.
 * @throws ClosedByServer for a close frame
 */
export function readServerFrames(bytes: Buffer): { payloads: Buffer[]; taken: number } {
  const payloads: Buffer[] = [];
  let taken = 0;
  while (bytes.length >= taken + 4) {
    const short = (bytes[taken + 1] as number) & 0x7f;
    if (short === 127) throw new Error('frame larger than expected');
    const start = taken + (short === 126 ? 4 : 2);
    const end = start + (short === 126 ? bytes.readUInt16BE(taken + 2) : short);
    if (bytes.length < end) break;
    const payload = bytes.subarray(start, end);
    if (((bytes[taken] as number) & 0x0f) === CLOSE) throw new ClosedByServer(payload, payloads);
    payloads.push(payload);
    taken = end;
  }
  return { payloads, taken };
}
