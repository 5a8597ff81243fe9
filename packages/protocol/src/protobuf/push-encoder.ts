import type { Arena } from '../bytes/arena.ts';
import { varintLength, writeVarint } from '../bytes/varint.ts';
import type { ChannelAddress } from '../channel-address.ts';
import type { DeliveryForm } from '../codec.ts';
import { type ClientInfo, clientInfoType } from '../messages/client-info.ts';
import { type Publication, publicationType } from '../messages/publication.ts';
import { Payload } from '../payload/payload.ts';
import type { NamedField } from '../schema/field.ts';
import type { Init } from '../schema/message-type.ts';
import { checkRange } from '../schema/range.ts';
import type { ProtobufWriter } from './writer.ts';

/** Tags of length-delimited fields: number × 8 + 2. */
const REPLY_PUSH = (4 << 3) | 2;
const PUSH_PUB = (4 << 3) | 2;
const PUB_DATA = (4 << 3) | 2;
/** Tag of a varint field: number × 8. */
const PUB_OFFSET = 6 << 3;
const JOIN_INFO = (1 << 3) | 2;

export const PUSH_JOIN: number = (5 << 3) | 2;
export const PUSH_LEAVE: number = (6 << 3) | 2;

const [INFO_FIELD, OFFSET_FIELD, TAGS_FIELD, DELTA_FIELD, EPOCH_FIELD] = [5, 6, 7, 8, 14].map(
  number => publicationType.byNumber(number)!,
) as [NamedField, NamedField, NamedField, NamedField, NamedField];

const NO_BYTES = new Uint8Array(0);

/** Lengths first, then each part copied once into a frame of the exact size. */
export function encodePublicationPush(
  writer: ProtobufWriter,
  arena: Arena,
  target: ChannelAddress,
  publication: Init<Publication>,
  form: DeliveryForm,
  patch: Uint8Array | undefined,
): Uint8Array {
  const isPatch = form === 'delta-patch';
  // Nearly every push has an offset and nothing else behind its payload: then the writer is not needed.
  const offset = isPatch ? undefined : offsetAlone(publication);
  if (offset === undefined) writeRest(writer, publication, isPatch);

  const raw = publication.data ?? NO_BYTES;
  const data = isPatch ? patch! : raw instanceof Payload ? raw.bytes : raw;
  const head = target.protobuf;
  const dataField = data.length === 0 ? 0 : 1 + varintLength(data.length) + data.length;
  const rest = offset === undefined ? writer.size : offset === 0 ? 0 : 1 + varintLength(offset);
  const pubSize = dataField + rest;
  const pushSize = head.length + 1 + varintLength(pubSize) + pubSize;
  const replySize = 1 + varintLength(pushSize) + pushSize;
  const out = arena.take(varintLength(replySize) + replySize);

  let at = writeVarint(replySize, out, 0);
  out[at++] = REPLY_PUSH;
  at = writeVarint(pushSize, out, at);
  out.set(head, at);
  at += head.length;
  out[at++] = PUSH_PUB;
  at = writeVarint(pubSize, out, at);
  if (dataField > 0) {
    out[at++] = PUB_DATA;
    at = writeVarint(data.length, out, at);
    out.set(data, at);
    at += data.length;
  }
  if (offset === undefined) writer.copyTo(out, at);
  else if (offset > 0) {
    out[at++] = PUB_OFFSET;
    writeVarint(offset, out, at);
  }
  return out;
}

/** The offset of a publication that has nothing else but its data. */
function offsetAlone({ info, offset = 0, tags, epoch = '' }: Init<Publication>): number | undefined {
  if (epoch !== '' || (tags !== undefined && tags.size > 0) || (info !== undefined && info !== null))
    return undefined;
  checkRange(OFFSET_FIELD.kind, offset);
  return offset;
}

/** Everything after the payload, last field first. */
function writeRest(writer: ProtobufWriter, publication: Init<Publication>, isPatch: boolean): void {
  const { info, offset, tags, epoch } = publication;
  writer.begin();
  if (epoch !== undefined && epoch !== '') writer.field(EPOCH_FIELD, epoch);
  if (isPatch) writer.field(DELTA_FIELD, true);
  if (tags !== undefined && tags.size > 0) writer.field(TAGS_FIELD, tags);
  if (offset !== undefined && offset !== 0) writer.field(OFFSET_FIELD, offset);
  if (info !== undefined && info !== null) writer.field(INFO_FIELD, info);
}

/** A join or leave push; `tag` is {@link PUSH_JOIN} or {@link PUSH_LEAVE}. */
export function encodeJoinPush(
  writer: ProtobufWriter,
  arena: Arena,
  target: ChannelAddress,
  tag: number,
  info: Init<ClientInfo>,
): Uint8Array {
  writer.begin();
  writer.message(clientInfoType, info);
  writer.varint(writer.size);
  writer.varint(JOIN_INFO);
  writer.varint(writer.size);
  writer.varint(tag);
  writer.bytes(target.protobuf);
  writer.varint(writer.size);
  writer.varint(REPLY_PUSH);
  writer.varint(writer.size);
  return writer.finish(arena);
}
