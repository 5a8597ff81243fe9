import { createHash } from 'node:crypto';
import type { Bytes } from '../reply.ts';

/** The SHA-1 of bytes in hexadecimal: the name of a script. */
export function sha1hex(bytes: Bytes): string {
  return createHash('sha1').update(bytes, 'latin1').digest('hex');
}
