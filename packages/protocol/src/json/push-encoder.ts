import type { Arena } from '../bytes/arena.ts';
import { utf8Bytes } from '../bytes/utf8.ts';
import type { ChannelAddress } from '../channel-address.ts';
import type { DeliveryForm } from '../codec.ts';
import { type ClientInfo, clientInfoType } from '../messages/client-info.ts';
import type { Publication } from '../messages/publication.ts';
import { Payload } from '../payload/payload.ts';
import type { Init } from '../schema/message-type.ts';
import { CLOSE_OBJECT, COLON, COMMA } from './text/characters.ts';
import { quotedLength, writeQuoted } from './text/quote.ts';
import type { JsonWriter } from './writer.ts';

const DATA = utf8Bytes('"pub":{"data":');
const INFO = utf8Bytes(',"info":');
const OFFSET = utf8Bytes(',"offset":');
const TAGS = utf8Bytes(',"tags":{');
const DELTA = utf8Bytes(',"delta":true');
const EPOCH = utf8Bytes(',"epoch":');
const END = utf8Bytes('}}}');

/** Target, payload and the rest, each copied once into a frame of the exact size. */
export function encodePublicationPush(
  writer: JsonWriter,
  arena: Arena,
  target: ChannelAddress,
  publication: Init<Publication>,
  form: DeliveryForm,
  patch: Uint8Array | undefined,
): Uint8Array {
  const data = form === 'delta-patch' ? patch! : Payload.of(publication.data ?? NO_BYTES).json;
  writeRest(writer, publication, form);

  const head = target.json;
  const asString = form !== 'plain';
  const dataStart = head.length + DATA.length;
  const dataSize = asString ? quotedLength(data) : data.length;
  const out = arena.take(dataStart + dataSize + writer.size);
  out.set(head);
  out.set(DATA, head.length);
  if (asString) writeQuoted(data, out, dataStart);
  else out.set(data, dataStart);
  writer.copyTo(out, dataStart + dataSize);
  return out;
}

const NO_BYTES = new Uint8Array(0);

/** Everything after the payload. */
function writeRest(writer: JsonWriter, publication: Init<Publication>, form: DeliveryForm): void {
  const { info, offset, tags, epoch } = publication;
  writer.begin();
  if (info !== undefined && info !== null) {
    writer.bytes(INFO);
    writer.message(clientInfoType, info);
  }
  if (offset !== undefined && offset !== 0) {
    writer.bytes(OFFSET);
    writer.integer(offset);
  }
  if (tags !== undefined && tags.size > 0) writeTags(writer, tags);
  if (form === 'delta-patch') writer.bytes(DELTA);
  if (epoch !== undefined && epoch !== '') {
    writer.bytes(EPOCH);
    writer.string(epoch);
  }
  writer.bytes(END);
}

function writeTags(writer: JsonWriter, tags: ReadonlyMap<string, string>): void {
  writer.bytes(TAGS);
  let first = true;
  for (const [key, value] of tags) {
    if (!first) writer.byte(COMMA);
    first = false;
    writer.string(key);
    writer.byte(COLON);
    writer.string(value);
  }
  writer.byte(CLOSE_OBJECT);
}

/** A join or leave push; `head` is `"join":{"info":` or `"leave":{"info":`. */
export function encodeJoinPush(
  writer: JsonWriter,
  arena: Arena,
  target: ChannelAddress,
  head: Uint8Array,
  info: Init<ClientInfo>,
): Uint8Array {
  writer.begin();
  writer.bytes(target.json);
  writer.bytes(head);
  writer.message(clientInfoType, info);
  writer.bytes(END);
  return writer.finish(arena);
}
