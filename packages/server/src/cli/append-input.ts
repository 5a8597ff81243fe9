import { MsgError, type Written } from '@msg/core';

const REPLACEMENT = '\ufffd';
/** U+FFFD itself, as an input may have it. */
const REPLACEMENT_BYTES = [0xef, 0xbf, 0xbd];
const LINE_FEED = 0x0a;

/** The text of an input, and how many characters of it were not UTF-8. */
export class TextInput {
  /** Characters that became U+FFFD. */
  replaced = 0;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #matched = 0;

  async *read(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Written> {
    for await (const piece of pieces) {
      this.#discount(piece);
      yield this.#counted(this.#decoder.decode(piece, { stream: true }));
    }
    yield this.#counted(this.#decoder.decode());
  }

  #counted(text: string): string {
    for (let at = text.indexOf(REPLACEMENT); at >= 0; at = text.indexOf(REPLACEMENT, at + 1)) this.replaced++;
    return text;
  }

  /** Those that the input has itself are not replaced. */
  #discount(piece: Uint8Array): void {
    if (this.#matched === 0 && !piece.includes(0xef)) return;
    for (const byte of piece) {
      if (byte !== REPLACEMENT_BYTES[this.#matched]) this.#matched = 0;
      if (byte !== REPLACEMENT_BYTES[this.#matched]) continue;
      this.#matched++;
      if (this.#matched < REPLACEMENT_BYTES.length) continue;
      this.#matched = 0;
      this.replaced--;
    }
  }
}

/** Each line is one JSON value. @throws MsgError MSG_INVALID_ARGUMENT with the number of a line that is not one */
export async function* itemsOf(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Written> {
  let number = 0;
  for await (const line of linesOf(pieces)) {
    number++;
    if (line.toString().trim() === '') continue;
    try {
      JSON.parse(line.toString());
    } catch (cause) {
      throw new MsgError('MSG_INVALID_ARGUMENT', `line ${number} must be one JSON value`, { cause });
    }
    yield { item: line };
  }
}

async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const piece of pieces) {
    rest = Buffer.concat([rest, piece]);
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
      yield rest.subarray(0, end);
      rest = rest.subarray(end + 1);
    }
  }
  if (rest.length > 0) yield rest;
}
