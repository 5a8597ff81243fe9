import type { CommandReader, ReplyReader } from '../codec.ts';
import { DecodeError } from '../decode-error.ts';
import { type Command, commandOf, commandRank, commandType, NO_REQUEST } from '../messages/command.ts';
import { type Reply, replyType } from '../messages/reply.ts';
import { Kind } from '../schema/kind.ts';
import { LF } from './characters.ts';
import type { JsonReader } from './reader.ts';

/** Reads one command; what follows it on its line is left alone. */
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
    else if (field.kind === Kind.u32) id = reader.unsigned(0xffff_ffff);
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
class LineWalker {
  readonly reader: JsonReader;
  #started: boolean;

  constructor(reader: JsonReader) {
    this.reader = reader;
    this.#started = false;
  }

  /** Moves to the next line; false at the end. */
  advance(): boolean {
    const { reader } = this;
    if (this.#started) this.#toNextLine();
    if (reader.pos >= reader.end) {
      if (this.#started) return false;
      throw new DecodeError('empty', 'frame without a message');
    }
    this.#started = true;
    return true;
  }

  #toNextLine(): void {
    const { reader } = this;
    if (reader.pos < reader.end && reader.bytes[reader.pos] !== LF) {
      const at = reader.bytes.indexOf(LF, reader.pos);
      reader.pos = at === -1 ? reader.end : at;
    }
    reader.pos++;
  }
}

/** The commands of a frame. */
export class JsonCommandReader extends LineWalker implements CommandReader {
  next(): Command | null {
    return this.advance() ? readCommand(this.reader) : null;
  }
}

/** The replies of a frame. */
export class JsonReplyReader extends LineWalker implements ReplyReader {
  next(): Reply | null {
    return this.advance() ? readReply(this.reader) : null;
  }
}
