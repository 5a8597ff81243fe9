import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { CloseStatus } from './close-status.ts';

/** What a sync flush ends with and a compressed message leaves out (RFC 7692, 7.2.1). */
const FLUSH_TAIL = Buffer.from([0x00, 0x00, 0xff, 0xff]);

const { Z_SYNC_FLUSH } = constants;

/** The payload of a compressed message; no context is kept. */
export function deflated(bytes: Uint8Array): Buffer {
  const flushed = deflateRawSync(bytes, { finishFlush: Z_SYNC_FLUSH });
  return flushed.subarray(0, flushed.length - FLUSH_TAIL.length);
}

/**
 * The message of a compressed payload, or the close status that its sender is due: 1007 for a payload that cannot be inflated, 1009
 * for a message of more than `most` bytes, of which no more are made.
 */
export function inflated(payload: Uint8Array, most: number): Buffer | number {
  try {
    return inflateRawSync(Buffer.concat([payload, FLUSH_TAIL]), {
      finishFlush: Z_SYNC_FLUSH,
      maxOutputLength: most,
    });
  } catch (error) {
    const isTooLong = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    return isTooLong ? CloseStatus.MessageTooBig : CloseStatus.InvalidPayload;
  }
}

/** The parameters of permessage-deflate that a client may offer (RFC 7692, 7.1). */
const FLAGS: readonly string[] = ['server_no_context_takeover', 'client_no_context_takeover'];
const WINDOW = /^(?:[89]|1[0-5])$/;

/** What is answered to an offer that is taken: neither side keeps a context between messages. */
export const COMPRESSION_ACCEPTED =
  'permessage-deflate; server_no_context_takeover; client_no_context_takeover';

/**
 * Whether one of a client's offers of `Sec-WebSocket-Extensions` is permessage-deflate as it is here: without context, with
 * the whole window. Others, and what cannot be read, are declined, and the connection goes on without compression.
 */
export function offersCompression(header: string): boolean {
  return header.split(',').some(isTakenOffer);
}

function isTakenOffer(offer: string): boolean {
  const [name, ...parameters] = offer.split(';').map(part => part.trim());
  if (name !== 'permessage-deflate') return false;
  const names = new Set<string>();
  for (const parameter of parameters) {
    const [key = '', quoted] = parameter.split('=', 2);
    if (names.has(key) || !isTakenParameter(key, quoted?.replace(/^"([^"]*)"$/, '$1'))) return false;
    names.add(key);
  }
  return true;
}

function isTakenParameter(name: string, value: string | undefined): boolean {
  if (FLAGS.includes(name)) return value === undefined;
  if (name === 'client_max_window_bits') return value === undefined || WINDOW.test(value);
  // A frame is shared by all receivers, so its window is the one that all have.
  return name === 'server_max_window_bits' && value === '15';
}
