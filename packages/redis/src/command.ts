import { Writable } from 'node:stream';
import { Command } from 'ioredis';
import type { JoinedWrites } from './joined-writes.ts';
import type { LuaScript } from './script.ts';

/** Argument of a command: text, a number, or bytes. */
export type RedisArgument = string | number | Uint8Array;

/** A Buffer view of the same bytes, for the library. */
function raw(arg: RedisArgument): string | number | Buffer {
  return arg instanceof Uint8Array ? Buffer.from(arg.buffer, arg.byteOffset, arg.byteLength) : arg;
}

/**
 * The scripts whose text each connection has carried. A server runs the commands of a connection in their order, so it
 * knows these, and none of them is asked for again behind commands that came later.
 */
const carried = new WeakMap<object, Set<string>>();

/** True once per connection and script. */
function isFirstUse({ sha1 }: LuaScript, connection: object): boolean {
  const digests = carried.get(connection);
  if (digests === undefined) carried.set(connection, new Set([sha1]));
  else if (digests.has(sha1)) return false;
  else digests.add(sha1);
  return true;
}

/** How a command is written. */
export interface Writing {
  /** Joins its bytes with those of the turn's other commands; absent: they are written at once. */
  readonly writes?: JoinedWrites | undefined;
  /** The script that an EVALSHA names: its first use on a connection is written as EVAL. */
  readonly script?: LuaScript | undefined;
}

/** A command whose bulk answers are bytes. */
export class StoreCommand extends Command {
  /** True once the library wrote it to a connection; before, it has certainly not been executed. */
  wasWritten = false;
  readonly #writing: Writing;

  constructor(name: string, args: readonly RedisArgument[], writing: Writing = {}) {
    super(name, args.map(raw), { replyEncoding: null });
    this.#writing = writing;
  }

  /**
   * Its bytes on the wire (RESP: an array of bulk strings). The library writes argument by argument; here a run of text
   * arguments is one write, which costs a publish, with its 16 arguments and one of them bytes, a fraction.
   */
  override toWritable(socket?: object): string | Buffer {
    this.wasWritten = true;
    const { writes, script } = this.#writing;
    if (writes !== undefined && socket instanceof Writable) writes.join(socket);
    const [name, args] =
      script !== undefined && socket !== undefined && isFirstUse(script, socket)
        ? ['EVAL', [script.source, ...this.args.slice(1)]]
        : [this.name, this.args];
    const pieces: Buffer[] = [];
    let text = `*${args.length + 1}\r\n${bulk(name)}`;
    for (const arg of args as (string | Buffer)[]) {
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
