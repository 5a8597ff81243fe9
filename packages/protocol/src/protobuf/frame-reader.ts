import type { CommandReader, ReplyReader } from '../codec.ts';
import { DecodeError } from '../decode-error.ts';
import { type Command, commandOf, commandRank, commandType, NO_REQUEST } from '../messages/command.ts';
import { type Reply, replyType } from '../messages/reply.ts';
import { Kind } from '../schema/kind.ts';
import type { ProtobufReader } from './reader.ts';

/** Reads one command that ends at `end`. */
export function readCommand(reader: ProtobufReader, end: number): Command {
  reader.resetItems();
  if (reader.pos === end) return commandOf(0, NO_REQUEST, null);
  let id = 0;
  let rank = NO_REQUEST;
  let request: unknown = null;
  const { depth } = reader;
  while (reader.pos < end) {
    const tag = reader.tag(end);
    const field = commandType.byNumber(tag >>> 3);
    if (field === undefined) {
      reader.skip(tag, end, depth);
      continue;
    }
    if (field.tag !== tag) throw new DecodeError('malformed', 'field with the wrong wire type');
    if (field.kind === Kind.u32) {
      id = reader.varint(end) >>> 0;
      continue;
    }
    const memberRank = commandRank(field.number);
    // The same member again is merged into the first, another one is decoded all the same.
    const into = memberRank === rank ? request : field.type!.create();
    const member = reader.nested(field.type!, into, end, depth);
    if (memberRank <= rank) {
      rank = memberRank;
      request = member;
    }
  }
  return commandOf(id, rank, request);
}

/** Reads one reply that ends at `end`. */
export function readReply(reader: ProtobufReader, end: number): Reply {
  reader.resetItems();
  return reader.message(replyType, replyType.create(), end, reader.depth);
}

/** Walks over the length-delimited messages of a frame. */
class MessageWalker {
  readonly reader: ProtobufReader;
  #started: boolean;

  constructor(reader: ProtobufReader) {
    this.reader = reader;
    this.#started = false;
  }

  /** Reads the next length and answers where that message ends, −1 at the end. */
  advance(): number {
    const { reader } = this;
    if (reader.pos >= reader.end) {
      if (this.#started) return -1;
      throw new DecodeError('empty', 'frame without a message');
    }
    this.#started = true;
    const size = reader.length(reader.end);
    return reader.pos + size;
  }
}

/** The commands of a frame. */
export class ProtobufCommandReader extends MessageWalker implements CommandReader {
  next(): Command | null {
    const end = this.advance();
    return end === -1 ? null : readCommand(this.reader, end);
  }
}

/** The replies of a frame. */
export class ProtobufReplyReader extends MessageWalker implements ReplyReader {
  next(): Reply | null {
    const end = this.advance();
    return end === -1 ? null : readReply(this.reader, end);
  }
}
