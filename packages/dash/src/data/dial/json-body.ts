import type { Json } from '../../document/json.ts';
import { DashError } from '../../errors.ts';
import { responseInvalid } from './response-body.ts';

/** Bodies up to this size are small however they are made of. */
const SMALL_BYTES = 256 * 1024;
/** Depth of an answer. */
const MOST_DEPTH = 64;
/** Lists and objects, values in all, and members of one object. */
const MOST_CONTAINERS = 400_000;
const MOST_VALUES = 1_500_000;
const MOST_MEMBERS = 10_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** An answer as JSON. @throws DashError QUERY_RESPONSE_INVALID. */
export function parseJson(body: Buffer): Json {
  try {
    return JSON.parse(body.toString('utf8')) as Json;
  } catch {
    throw responseInvalid('it is not JSON');
  }
}

/**
 * Counts the values of JSON text while it comes: a few bytes of it can become a hundred of memory, so a large answer is
 * refused before it is parsed.
 */
export class JsonMeter {
  /** Members so far of each list and object that is open. */
  readonly #open: number[] = [];
  #bytes = 0;
  #containers = 0;
  #values = 0;
  #inText = false;
  #isEscaped = false;

  /** @throws DashError QUERY_TOO_LARGE. */
  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    for (const byte of chunk) {
      if (this.#inText) this.#addText(byte);
      else if (byte === QUOTE) this.#inText = true;
      else if (byte === COMMA) this.#addValue();
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        this.#containers++;
        this.#open.push(0);
        if (this.#open.length > MOST_DEPTH) throw tooRich();
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#open.pop();
      else if (byte === COLON && (this.#open.at(-1) ?? 0) > MOST_MEMBERS) throw tooRich();
    }
    const isRich = this.#containers > MOST_CONTAINERS || this.#values > MOST_VALUES;
    if (isRich && this.#bytes > SMALL_BYTES) throw tooRich();
  }

  #addText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#inText = false;
  }

  #addValue(): void {
    this.#values++;
    const last = this.#open.length - 1;
    this.#open[last] = (this.#open[last] ?? 0) + 1;
  }
}

function tooRich(): DashError {
  const message = 'The answer must have fewer values, columns or levels; ask for less of it.';
  return new DashError('QUERY_TOO_LARGE', message, {
    containers: MOST_CONTAINERS,
    values: MOST_VALUES,
    columns: MOST_MEMBERS,
    depth: MOST_DEPTH,
  });
}
