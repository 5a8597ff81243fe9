import type { Publication } from '@msg/protocol';
import { decodePublicationRecord, encodePublicationRecord } from '@msg/protocol/internal';
import type { BodyReader, BodyWriter } from '../../threads/link/body.ts';
import type { StreamPosition } from '../contract.ts';

/** Flags of a publication's record. */
export const DELTA = 1;
export const VOLATILE = 2;
/** The previous publication is in the body, or the thread has it: it was the last one that it was sent. */
export const PREVIOUS = 4;
export const KNOWN_PREVIOUS = 8;
/** The thread keeps the publication: it may be the base of the next one. */
export const REMEMBER = 16;

/** A publication on its way to a thread. */
export interface SentPublication {
  readonly channel: string;
  readonly publication: Publication;
  readonly position: StreamPosition;
  readonly previous: Publication | null;
}

/** Writes a publication, with the previous one where there is one. */
export function writePublication(
  to: BodyWriter,
  { channel, publication, position, previous }: SentPublication,
): BodyWriter {
  to.text(channel).f64(position.offset).text(position.epoch);
  if (previous !== null) to.f64(previous.offset).bytes(encodePublicationRecord(previous));
  return to.rest(encodePublicationRecord(publication));
}

/** Reads a publication. */
export function readPublication(from: BodyReader, flags: number): SentPublication {
  const [channel, offset, epoch] = [from.text(), from.f64(), from.text()];
  const previous = (flags & PREVIOUS) === 0 ? null : previousOf(from);
  const publication = decodePublicationRecord(from.rest(), offset);
  return { channel, publication, position: { offset, epoch }, previous };
}

function previousOf(from: BodyReader): Publication {
  const offset = from.f64();
  return decodePublicationRecord(from.bytes(), offset);
}
