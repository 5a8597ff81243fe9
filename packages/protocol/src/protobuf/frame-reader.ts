import type { Arena } from '../bytes/arena.ts';
import type { CommandReader, ReplyReader } from '../codec.ts';
import { DecodeError } from '../decode-error.ts';
import type { DecodeLimits } from '../limits.ts';
import { type Command, commandOf, commandRank, commandType, NO_REQUEST } from '../messages/command.ts';
import { type Reply, replyType } from '../messages/reply.ts';
import { ProtobufReader } from './reader.ts';

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
    if (field.kind === 'u32') {
      id = reader.varint(end) >>> 0;
      continue;
    }
    const memberRank = commandRank(field.number);
    // A repeated member is merged into the first; another member is decoded too, which checks it.
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
class DelimitedReader extends ProtobufReader {
  private started: boolean;

  constructor(frame: Uint8Array, limits: DecodeLimits, arena: Arena) {
    super(frame, 0, frame.length, limits, arena);
    this.started = false;
  }

  /** Reads the next length and answers where that message ends, −1 at the end. */
  protected toNextMessage(): number {
    if (this.pos >= this.end) {
      if (this.started) return -1;
      throw new DecodeError('empty', 'frame without a message');
    }
    this.started = true;
    const size = this.length(this.end);
    return this.pos + size;
  }
}

/** The commands of a frame. */
export class ProtobufCommandReader extends DelimitedReader implements CommandReader {
  next(): Command | null {
    const end = this.toNextMessage();
    return end === -1 ? null : readCommand(this, end);
  }
}

/** The replies of a frame. */
export class ProtobufReplyReader extends DelimitedReader implements ReplyReader {
  next(): Reply | null {
    const end = this.toNextMessage();
    return end === -1 ? null : readReply(this, end);
  }
}
