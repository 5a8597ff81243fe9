import type { DecodeLimits } from '../limits.ts';
import { type ClientInfo, clientInfoType } from '../messages/client-info.ts';
import { type Publication, publicationType } from '../messages/publication.ts';
import { RecordCodec } from '../protobuf/record.ts';
import type { Init } from '../schema/message-type.ts';

const RECORD_LIMITS: DecodeLimits = { messageBytes: 16_777_216, depth: 8, payloadDepth: 0, items: 65_536 };

const records = new RecordCodec(RECORD_LIMITS);

/** A publication in the form of stores: Protobuf, without the offset, which is the entry's id (client protocol 16.2). */
export function encodePublicationRecord(publication: Init<Publication>): Uint8Array {
  return records.encode(publicationType, { ...publication, offset: 0 });
}

/** As {@link encodePublicationRecord}, into the memory that `take` has for so many bytes. False: it has none. */
export function encodePublicationInto(
  publication: Publication,
  take: (bytes: number) => Uint8Array | null,
): boolean {
  return records.encodeInto(publicationType, { ...publication, offset: 0 }, take);
}

/** As {@link decodePublicationRecord}; its payload is a view of `bytes`. */
export function decodePublicationInPlace(bytes: Uint8Array, offset: number): Publication {
  return { ...records.decodeInPlace(publicationType, bytes), offset };
}

/**
 * Decodes a stored publication.
 *
 * @param offset its offset in the store; 0 without one.
 * @throws DecodeError
 */
export function decodePublicationRecord(bytes: Uint8Array, offset: number = 0): Publication {
  return publicationAt(bytes, 0, bytes.length, offset);
}

/** {@link decodePublicationRecord} of `bytes[start, end)`. */
export function publicationAt(bytes: Uint8Array, start: number, end: number, offset: number): Publication {
  const publication = records.decode(publicationType, bytes, start, end);
  return offset === 0 ? publication : { ...publication, offset };
}

/** A presence entry in the form of stores (client protocol 16.6). */
export function encodeClientInfo(info: Init<ClientInfo>): Uint8Array {
  return records.encode(clientInfoType, info);
}

/** Decodes a presence entry. @throws DecodeError */
export function decodeClientInfo(bytes: Uint8Array): ClientInfo {
  return records.decode(clientInfoType, bytes);
}

/** {@link decodeClientInfo} of `bytes[start…]`. */
export function clientInfoFrom(bytes: Uint8Array, start: number): ClientInfo {
  return records.decode(clientInfoType, bytes, start);
}
