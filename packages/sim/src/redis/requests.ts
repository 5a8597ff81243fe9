import { inlineWords } from './inline-words.ts';
import { readInteger } from './numbers.ts';
import type { Bytes } from './reply.ts';

/** Longest line of an inline command, and of a length. */
const INLINE_MAX = 65_536;
const ARGUMENTS_MAX = 1024 * 1024 * 1024;
const BULK_MAX = 512 * 1024 * 1024;

/** Bytes that are no request: they are answered, and the connection ends. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** Cuts the bytes of a connection into commands, wherever the pieces begin and end. */
export class Requests {
  #bytes: Bytes = '';
  #at = 0;
  /** Arguments of the command that is being read; undefined between commands. */
  #args: Bytes[] | undefined;
  #missing = 0;
  #bulkLength = -1;

  push(bytes: Bytes): void {
    this.#bytes = this.#at === this.#bytes.length ? bytes : this.#bytes.slice(this.#at) + bytes;
    this.#at = 0;
  }

  /**
   * The next whole command; undefined until more bytes came.
   * @throws ProtocolError
   */
  next(): readonly Bytes[] | undefined {
    for (;;) {
      if (this.#args === undefined && this.#at === this.#bytes.length) return undefined;
      const isArray = this.#args !== undefined || this.#bytes[this.#at] === '*';
      const args = isArray ? this.#nextOfArray() : this.#nextInline();
      if (args === undefined || args.length > 0) return args;
    }
  }

  #nextOfArray(): readonly Bytes[] | undefined {
    if (this.#args === undefined && !this.#begin()) return undefined;
    const args = this.#args ?? [];
    while (this.#missing > 0) {
      const argument = this.#argument();
      if (argument === undefined) return undefined;
      args.push(argument);
      this.#missing--;
    }
    this.#args = undefined;
    return args;
  }

  #begin(): boolean {
    const line = this.#line('too big mbulk count string');
    if (line === undefined) return false;
    const count = readInteger(line.slice(1));
    if (count === undefined || count > ARGUMENTS_MAX) throw new ProtocolError('invalid multibulk length');
    this.#missing = Math.max(0, Number(count));
    this.#args = [];
    return true;
  }

  #argument(): Bytes | undefined {
    if (this.#bulkLength === -1) {
      const line = this.#line('too big bulk count string');
      if (line === undefined) return undefined;
      if (line[0] !== '$') throw new ProtocolError(`expected '$', got '${line[0] ?? '\r'}'`);
      const length = readInteger(line.slice(1));
      if (length === undefined || length < 0n || length > BULK_MAX)
        throw new ProtocolError('invalid bulk length');
      this.#bulkLength = Number(length);
    }
    const end = this.#at + this.#bulkLength;
    if (this.#bytes.length < end + 2) return undefined;
    const argument = this.#bytes.slice(this.#at, end);
    this.#at = end + 2;
    this.#bulkLength = -1;
    return argument;
  }

  /** A line without its end, which is two bytes: the second is not looked at. */
  #line(tooLong: string): Bytes | undefined {
    const end = this.#bytes.indexOf('\r', this.#at);
    if (end === -1) {
      if (this.#bytes.length - this.#at > INLINE_MAX) throw new ProtocolError(tooLong);
      return undefined;
    }
    if (this.#bytes.length < end + 2) return undefined;
    const line = this.#bytes.slice(this.#at, end);
    this.#at = end + 2;
    return line;
  }

  #nextInline(): readonly Bytes[] | undefined {
    const end = this.#bytes.indexOf('\n', this.#at);
    if (end === -1) {
      if (this.#bytes.length - this.#at > INLINE_MAX) throw new ProtocolError('too big inline request');
      return undefined;
    }
    const words = inlineWords(this.#bytes.slice(this.#at, end));
    this.#at = end + 1;
    if (words === undefined) throw new ProtocolError('unbalanced quotes in request');
    return words;
  }
}
