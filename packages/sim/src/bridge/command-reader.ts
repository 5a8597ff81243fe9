const NEWLINE = 0x0a;
const STAR = 0x2a;

/** A command of a replication stream. */
export interface ReplicatedCommand {
  /** Latin-1: every byte is one character. */
  readonly args: readonly string[];
  /** Bytes that it takes in the stream. */
  readonly length: number;
}

/** Reads the commands that a Redis server sends to its replicas, in whatever pieces they come. */
export class CommandReader {
  #bytes: Buffer = Buffer.alloc(0);

  add(piece: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? piece : Buffer.concat([this.#bytes, piece]);
  }

  /** The next command, and an empty one for an empty line; undefined: it is not whole yet. */
  next(): ReplicatedCommand | undefined {
    if (this.#bytes[0] === NEWLINE) return this.#taken([], 1);
    const first = this.#line(0);
    if (first === undefined) return undefined;
    if (this.#bytes[0] !== STAR) return this.#taken(first.text.split(' '), first.end);
    const args: string[] = [];
    let at = first.end;
    for (let left = Number(first.text.slice(1)); left > 0; left--) {
      const header = this.#line(at);
      if (header === undefined) return undefined;
      const end = header.end + Number(header.text.slice(1));
      if (this.#bytes.length < end + 2) return undefined;
      args.push(this.#bytes.toString('latin1', header.end, end));
      at = end + 2;
    }
    return this.#taken(args, at);
  }

  /** The next line without its end, as an answer has it; undefined: it is not whole yet. */
  line(): string | undefined {
    const line = this.#line(0);
    if (line === undefined) return undefined;
    this.#bytes = this.#bytes.subarray(line.end);
    return line.text;
  }

  /** Leaves out so many bytes; answers how many of them have not come yet. */
  skip(length: number): number {
    const skipped = Math.min(length, this.#bytes.length);
    this.#bytes = this.#bytes.subarray(skipped);
    return length - skipped;
  }

  #taken(args: readonly string[], length: number): ReplicatedCommand {
    this.#bytes = this.#bytes.subarray(length);
    return { args, length };
  }

  #line(from: number): { readonly text: string; readonly end: number } | undefined {
    const end = this.#bytes.indexOf(NEWLINE, from);
    if (end < 0) return undefined;
    return { text: this.#bytes.toString('latin1', from, end).replace(/\r$/, ''), end: end + 1 };
  }
}
