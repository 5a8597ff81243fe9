import type { Encoding, Publication } from '@msg/protocol';

/** Tag of a publication that holds, on a JSON connection, the base64 of a payload that is not UTF-8. */
export const PAYLOAD_ENCODING_TAG = 'msg-encoding';

/**
 * A publication as connections of an encoding get it: JSON connections are told by a tag when the payload reaches them
 * as base64. Filters see the publisher's own tags.
 */
export function tagged(encoding: Encoding, publication: Publication): Publication {
  if (encoding === 'protobuf' || publication.data.kind !== 'binary') return publication;
  return { ...publication, tags: new Map(publication.tags).set(PAYLOAD_ENCODING_TAG, 'base64') };
}
