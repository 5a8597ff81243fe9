import type { Arena } from '../bytes/arena.ts';
import type { CommandReader, ReplyReader } from '../codec.ts';
import { DecodeError } from '../decode-error.ts';
import type { DecodeLimits } from '../limits.ts';
import { type Command, commandOf, commandRank, commandType, NO_REQUEST } from '../messages/command.ts';
import { type Reply, replyType } from '../messages/reply.ts';
import { JsonReader } from './reader.ts';
import { LF } from './text/characters.ts';

/** Reads one command and ignores the rest of its line. */
export function readCommand(reader: JsonReader): Command {
  reader.resetItems();
  let id = 0;
  let rank = NO_REQUEST;
  let request: unknown = null;
  if (!reader.enter()) return commandOf(0, NO_REQUEST, null);
  const depth = reader.depth - 1;
  do {
    const field = reader.field(commandType);
    if (field === undefined) reader.skip();
    else if (reader.null()) continue;
    else if (field.kind === 'u32') id = reader.unsigned(0xffff_ffff);
    else {
      const member = reader.message(field.type!, depth);
      const memberRank = commandRank(field.number);
      if (memberRank <= rank) {
        rank = memberRank;
        request = member;
      }
    }
  } while (reader.more());
  return commandOf(id, rank, request);
}

export function readReply(reader: JsonReader): Reply {
  return reader.root(replyType);
}

/** Walks over the lines of a frame: one message each, whatever follows it on the line is ignored. */
class LineReader extends JsonReader {
  private started: boolean;

  constructor(frame: Uint8Array, limits: DecodeLimits, arena: Arena) {
    super(frame, 0, frame.length, false, limits, arena);
    this.started = false;
  }

  /** Moves to the next line; false at the end. */
  protected advance(): boolean {
    if (this.started) this.toNextLine();
    if (this.pos < this.end) {
      this.started = true;
      return true;
    }
    if (this.started) return false;
    throw new DecodeError('empty', 'frame without a message');
  }

  private toNextLine(): void {
    if (this.pos < this.end && this.bytes[this.pos] !== LF) {
      const at = this.bytes.indexOf(LF, this.pos);
      this.pos = at === -1 ? this.end : at;
    }
    this.pos++;
  }
}

/** The commands of a frame. */
export class JsonCommandReader extends LineReader implements CommandReader {
  next(): Command | null {
    return this.advance() ? readCommand(this) : null;
  }
}

/** The replies of a frame. */
export class JsonReplyReader extends LineReader implements ReplyReader {
  next(): Reply | null {
    return this.advance() ? readReply(this) : null;
  }
}
