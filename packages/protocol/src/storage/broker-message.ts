import { utf8Bytes } from '../bytes/utf8.ts';
import type { ClientInfo } from '../messages/client-info.ts';
import type { Publication } from '../messages/publication.ts';
import type { StreamPosition } from '../messages/stream-position.ts';
import type { Init } from '../schema/message-type.ts';
import { epochText, indexOf, malformed, wholeNumber } from './message-header.ts';
import { clientInfoFrom, encodeClientInfo, encodePublicationRecord, publicationAt } from './records.ts';
import { decodeStateMessage, type StateMessage } from './state-message.ts';

/** A message that nodes receive through PUB/SUB (client protocol 16.4). */
export type BrokerMessage =
  | {
      readonly kind: 'publication';
      /** The publication with the offset of `position`, and without `delta`. */
      readonly publication: Publication;
      /** Null for a channel without history. */
      readonly position: StreamPosition | null;
      /** Subscribers that negotiated deltas may get a patch. */
      readonly delta: boolean;
      /** The publication one offset before, when the publish permits patches and it is retained. */
      readonly previous: Publication | null;
      /** Subscribers with a long queue do not get it; it has no position. */
      readonly isVolatile: boolean;
    }
  | { readonly kind: 'join'; readonly info: ClientInfo }
  | { readonly kind: 'leave'; readonly info: ClientInfo }
  | StateMessage
  /** The open message was cancelled, or has another producer. */
  | { readonly kind: 'changed' };

const POSITIONED = utf8Bytes('__p1:');
const POSITIONED_DELTA = utf8Bytes('__d1:');
const JOIN = utf8Bytes('__j__');
const LEAVE = utf8Bytes('__l__');
const VOLATILE = utf8Bytes('__v__');
const STATE = utf8Bytes('__a1:');
const CHANGED = utf8Bytes('__c1:');
const HEADER_BYTES = 5;

const UNDERSCORE = 0x5f;
const COLON = 0x3a;

/** A publication of a channel without history. `delta` permits patches. */
export function encodePublicationMessage(publication: Init<Publication>, delta: boolean = false): Uint8Array {
  return encodePublicationRecord({ ...publication, delta });
}

/** A publication that is not retained, and that subscribers with a long queue do not get. */
export function encodeVolatileMessage(publication: Init<Publication>): Uint8Array {
  return concat([VOLATILE, encodePublicationRecord(publication)]);
}

/**
 * A publication of a channel with history.
 *
 * @param record from `encodePublicationRecord`.
 * @throws RangeError when the epoch holds `:` or `__`, which the format cannot carry.
 */
export function encodePositionedMessage(record: Uint8Array, position: StreamPosition): Uint8Array {
  return concat([utf8Bytes(`__p1:${position.offset}:${checkedEpoch(position)}__`), record]);
}

/** As {@link encodePositionedMessage}, permitting patches against `previous`; null when that is not retained. */
export function encodePositionedDeltaMessage(
  record: Uint8Array,
  position: StreamPosition,
  previous: Uint8Array | null,
): Uint8Array {
  const before = previous ?? new Uint8Array(0);
  const header = `__d1:${position.offset}:${checkedEpoch(position)}:${before.length}:`;
  return concat([utf8Bytes(header), before, utf8Bytes(`:${record.length}:`), record]);
}

/** The message of a join between nodes. */
export function encodeJoinMessage(info: Init<ClientInfo>): Uint8Array {
  return concat([JOIN, encodeClientInfo(info)]);
}

/** The message of a leave between nodes. */
export function encodeLeaveMessage(info: Init<ClientInfo>): Uint8Array {
  return concat([LEAVE, encodeClientInfo(info)]);
}

/** Decodes any message of a channel. @throws DecodeError */
export function decodeBrokerMessage(bytes: Uint8Array): BrokerMessage {
  if (bytes[0] !== UNDERSCORE || bytes[1] !== UNDERSCORE) return plainPublication(bytes);
  if (startsWith(bytes, POSITIONED)) return positioned(bytes);
  if (startsWith(bytes, POSITIONED_DELTA)) return positionedDelta(bytes);
  if (startsWith(bytes, STATE)) return decodeStateMessage(bytes);
  if (startsWith(bytes, CHANGED)) return { kind: 'changed' };
  if (startsWith(bytes, JOIN)) return { kind: 'join', info: clientInfoFrom(bytes, HEADER_BYTES) };
  if (startsWith(bytes, VOLATILE)) return volatilePublication(bytes);
  if (startsWith(bytes, LEAVE)) return { kind: 'leave', info: clientInfoFrom(bytes, HEADER_BYTES) };
  throw malformed();
}

function plainPublication(bytes: Uint8Array): BrokerMessage {
  const publication = publicationAt(bytes, 0, bytes.length, 0);
  return publicationMessage(publication, null, publication.delta, null);
}

function volatilePublication(bytes: Uint8Array): BrokerMessage {
  const publication = publicationAt(bytes, HEADER_BYTES, bytes.length, 0);
  return publicationMessage(publication, null, false, null, true);
}

function positioned(bytes: Uint8Array): BrokerMessage {
  const colon = indexOf(bytes, COLON, HEADER_BYTES);
  const offset = wholeNumber(bytes, HEADER_BYTES, colon);
  let end = colon + 1;
  while (end + 1 < bytes.length && !(bytes[end] === UNDERSCORE && bytes[end + 1] === UNDERSCORE)) end++;
  if (end + 1 >= bytes.length) throw malformed();
  const position = { offset, epoch: epochText(bytes, colon + 1, end) };
  return publicationMessage(publicationAt(bytes, end + 2, bytes.length, offset), position, false, null);
}

function positionedDelta(bytes: Uint8Array): BrokerMessage {
  const offsetEnd = indexOf(bytes, COLON, HEADER_BYTES);
  const offset = wholeNumber(bytes, HEADER_BYTES, offsetEnd);
  const epochEnd = indexOf(bytes, COLON, offsetEnd + 1);
  const position = { offset, epoch: epochText(bytes, offsetEnd + 1, epochEnd) };
  const sizeEnd = indexOf(bytes, COLON, epochEnd + 1);
  const previousStart = sizeEnd + 1;
  const previousEnd = previousStart + wholeNumber(bytes, epochEnd + 1, sizeEnd);
  if (bytes[previousEnd] !== COLON) throw malformed();
  const lengthEnd = indexOf(bytes, COLON, previousEnd + 1);
  if (wholeNumber(bytes, previousEnd + 1, lengthEnd) !== bytes.length - lengthEnd - 1) throw malformed();
  const previous =
    previousEnd === previousStart ? null : publicationAt(bytes, previousStart, previousEnd, offset - 1);
  const publication = publicationAt(bytes, lengthEnd + 1, bytes.length, offset);
  return publicationMessage(publication, position, true, previous);
}

function publicationMessage(
  publication: Publication,
  position: StreamPosition | null,
  delta: boolean,
  previous: Publication | null,
  isVolatile = false,
): BrokerMessage {
  const cleared = publication.delta ? { ...publication, delta: false } : publication;
  return { kind: 'publication', publication: cleared, position, delta, previous, isVolatile };
}

function checkedEpoch({ epoch }: StreamPosition): string {
  if (epoch.includes(':') || epoch.includes('__') || epoch.endsWith('_')) {
    throw new RangeError('an epoch must hold neither ":" nor "__", nor end with "_"');
  }
  return epoch;
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  for (let i = 0; i < prefix.length; i++) if (bytes[i] !== prefix[i]) return false;
  return true;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
