import type { Field } from '@msg/foundation/shape';
import { decodeBase64, encodeBase64 } from '../base64.ts';
import { payloadBytes } from '../payload.ts';
import { encodeUtf8 } from '../utf8.ts';

/**
 * `PublishRequest.data`: a canonical base64 string is decoded, any other string is its UTF-8 bytes, any other
 * JSON value is its compact JSON text. Written as base64, from bytes or, as callers of the typed client have it, from any
 * value of JSON. Source: messaging details 1.1, "input tolerance".
 */
export const publishData: Field<Uint8Array> = {
  zero: () => new Uint8Array(0),
  read(value) {
    if (typeof value !== 'string') return encodeUtf8(JSON.stringify(value));
    return decodeBase64(value) ?? encodeUtf8(value);
  },
  write: value => encodeBase64(payloadBytes(value, 'data')),
  schema: ({ written }) =>
    written
      ? { type: 'string', contentEncoding: 'base64' }
      : { description: 'bytes in base64, or any other text or JSON, which is published as it is' },
};
