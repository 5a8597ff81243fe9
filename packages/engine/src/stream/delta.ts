import type { Encoding, Payload } from '@msg/protocol';
import { createPatch } from '@msg/protocol/internal';

/**
 * The patch that turns one payload into the next for subscribers of an encoding; null when the next one must be sent in
 * full. JSON connections hold the JSON form of a payload, Protobuf connections its bytes, so their patches differ (client
 * protocol 12.3).
 */
export function patchBetween(encoding: Encoding, previous: Payload, next: Payload): Uint8Array | null {
  if (encoding === 'protobuf') return createPatch(previous.bytes, next.bytes, { utf8: false });
  if (next.kind !== 'json' || previous.kind === 'binary') return null;
  return createPatch(previous.json, next.json, { utf8: true });
}
