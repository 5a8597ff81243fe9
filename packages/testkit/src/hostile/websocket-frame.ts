import { constants, deflateRawSync } from 'node:zlib';
import { type RawRequest, rawRequest } from './http-request.ts';

/** Opcodes of RFC 6455, 5.2. */
export const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface FrameOptions {
  /** Default text. */
  readonly opcode?: number;
  /** False: more fragments follow. Default true. */
  readonly fin?: boolean;
  /** The payload is compressed (RFC 7692). Default false. */
  readonly compressed?: boolean;
  /** Reserved bits 2 and 3, which no client may set. Default 0. */
  readonly reserved?: number;
  /** False: without a mask, which a server must refuse. Default true. */
  readonly masked?: boolean;
  /** Four bytes. Default zeros, so that the payload stands on the wire as it is. */
  readonly mask?: Uint8Array;
  /** Length in the header when it differs from the payload's: a frame that is never finished. */
  readonly announcedBytes?: number;
}

const MASK = Buffer.alloc(4);
/** What a sync flush ends with and a compressed message leaves out (RFC 7692, 7.2.1). */
const FLUSH_TAIL_BYTES = 4;
const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';

/** Bytes of one client frame. Nothing is checked: a test may write what the protocol forbids. */
export function clientFrame(payload: Uint8Array | string, options: FrameOptions = {}): Buffer {
  const { opcode = OPCODES.text, fin = true, compressed = false, reserved = 0, masked = true } = options;
  const { mask = MASK } = options;
  const content = Buffer.from(payload).map((byte, i) => byte ^ (mask[i & 3] as number));
  const length = options.announcedBytes ?? content.length;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = (fin ? 0x80 : 0) | (compressed ? 0x40 : 0) | (reserved << 4) | opcode;
  const maskBit = masked ? 0x80 : 0;
  if (head.length === 2) head[1] = maskBit | length;
  else if (head.length === 4) {
    head[1] = maskBit | 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = maskBit | 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, ...(masked ? [mask] : []), content]);
}

/** One message in `count` fragments of `payload` each; without `finished` the last one is missing. */
export function fragmentedMessage(
  payload: Uint8Array | string,
  count: number,
  options: { readonly finished?: boolean } = {},
): Buffer {
  const fragments = Array.from({ length: count }, (_, i) =>
    clientFrame(payload, {
      opcode: i === 0 ? OPCODES.text : OPCODES.continuation,
      fin: i === count - 1 && options.finished !== false,
    }),
  );
  return Buffer.concat(fragments);
}

/** A compressed text frame of a few bytes that inflates to `bytes` spaces. */
export function compressionBomb(bytes: number): Buffer {
  const deflated = deflateRawSync(Buffer.alloc(bytes, ' '), {
    finishFlush: constants.Z_SYNC_FLUSH,
    level: 9,
  });
  return clientFrame(deflated.subarray(0, -FLUSH_TAIL_BYTES), { compressed: true });
}

/** The request that opens a WebSocket; `headers` are added to those that it needs. */
export function upgradeRequest(request: Omit<RawRequest, 'body'> = {}): Buffer {
  const { target = '/connection/websocket', headers = [], ...rest } = request;
  return rawRequest({
    ...rest,
    target,
    headers: [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
      ['Sec-WebSocket-Version', '13'],
      ['Sec-WebSocket-Key', KEY],
      ...headers,
    ],
  });
}
