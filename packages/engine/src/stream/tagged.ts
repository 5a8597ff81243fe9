import type { Encoding, Publication } from '@msg/protocol';

/** Tag of a publication that holds, on a JSON connection, the base64 of a payload that is not UTF-8. */
export const PAYLOAD_ENCODING_TAG = 'msg-encoding';

/**
 * A publication for connections of an encoding: for JSON connections a tag marks a payload in base64. Filters see only
 * the publisher's tags.
 */
export function tagged(encoding: Encoding, publication: Publication): Publication {
  if (encoding === 'protobuf' || publication.data.kind !== 'binary') return publication;
  return { ...publication, tags: new Map(publication.tags).set(PAYLOAD_ENCODING_TAG, 'base64') };
}
