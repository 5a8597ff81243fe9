import { Command } from 'ioredis';

/** Argument of a command: text, a number, or bytes. */
export type RedisArgument = string | number | Uint8Array;

/** A Buffer view of the same bytes, for the library. */
function raw(arg: RedisArgument): string | number | Buffer {
  return arg instanceof Uint8Array ? Buffer.from(arg.buffer, arg.byteOffset, arg.byteLength) : arg;
}

/** A command whose bulk answers are bytes. */
export class StoreCommand extends Command {
  /** True once the library wrote it to a connection; before, it has certainly not been executed. */
  wasWritten = false;

  constructor(name: string, args: readonly RedisArgument[]) {
    super(name, args.map(raw), { replyEncoding: null });
  }

  /**
   * Its bytes on the wire (RESP: an array of bulk strings). The library writes argument by argument; here a run of text
   * arguments is one write, which costs a publish, with its 16 arguments and one of them bytes, a fraction.
   */
  override toWritable(): string | Buffer {
    this.wasWritten = true;
    const pieces: Buffer[] = [];
    let text = `*${this.args.length + 1}\r\n${bulk(this.name)}`;
    for (const arg of this.args as (string | Buffer)[]) {
      if (typeof arg === 'string') text += bulk(arg);
      else {
        pieces.push(Buffer.from(`${text}$${arg.length}\r\n`), arg);
        text = '\r\n';
      }
    }
    if (pieces.length === 0) return text;
    pieces.push(Buffer.from(text));
    return Buffer.concat(pieces);
  }
}

function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
}
