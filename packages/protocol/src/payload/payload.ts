import { isUtf8 } from '../bytes/utf8.ts';
import { quotedBase64 } from '../json/text/base64.ts';
import { quote } from '../json/text/quote.ts';
import { JsonScanner, withoutBreaks } from '../json/text/scanner.ts';
import { PAYLOAD_DEPTH } from '../limits.ts';

/**
 * What a payload is (client protocol 2.1):
 * - `json`: one valid JSON value; JSON connections get it embedded verbatim.
 * - `text`: other well-formed UTF-8; JSON connections get it as a JSON string.
 * - `binary`: anything else; JSON connections get a JSON string of its base64.
 */
export type PayloadKind = 'json' | 'text' | 'binary';

/** Classifies bytes in one pass over them (two for what is not JSON). Empty bytes are `text`. */
export function classifyPayload(bytes: Uint8Array): PayloadKind {
  return new Payload(bytes).kind;
}

/** The bytes of a payload on JSON connections: see {@link Payload.json}. */
export function jsonForm(payload: Payload): Uint8Array {
  return payload.json;
}

/** Says that a payload has no bytes yet. */
const BUILT_LATER = new Uint8Array(0);

/**
 * The payload of a publication: opaque bytes, with their form for JSON connections, which is computed once on first use.
 * The bytes must not change afterwards.
 */
export class Payload {
  declare readonly bytes: Uint8Array;
  #kind: PayloadKind | null;
  #json: Uint8Array | null;

  constructor(bytes: Uint8Array) {
    if (bytes !== BUILT_LATER) this.bytes = bytes;
    this.#kind = null;
    this.#json = null;
  }

  /** A payload known to be valid JSON without line breaks between tokens, as JSON decoders produce it. */
  static ofJson(bytes: Uint8Array): Payload {
    const payload = new Payload(bytes);
    payload.#kind = 'json';
    payload.#json = bytes;
    return payload;
  }

  /** A payload of JSON without line breaks between tokens, whose bytes are built when they are first read. */
  static ofJsonLater(build: () => Uint8Array): Payload {
    return new LaterJsonPayload(build);
  }

  /** `value` itself, or a payload around its bytes. */
  static of(value: Uint8Array | Payload): Payload {
    return value instanceof Payload ? value : new Payload(value);
  }

  get kind(): PayloadKind {
    return this.#kind ?? this.#classify();
  }

  /**
   * The form JSON connections get: for `json` the same bytes without CR and LF between tokens, for `text` a JSON
   * string with its quotes, for `binary` a JSON string of standard base64. Deltas of JSON connections are computed
   * between these forms (client protocol 12.3, "Two byte forms").
   */
  get json(): Uint8Array {
    if (this.#json !== null) return this.#json;
    // Not cached: a history of large binary payloads would take more than twice its size.
    if (this.kind === 'binary') return quotedBase64(this.bytes);
    this.#json ??= quote(this.bytes);
    return this.#json;
  }

  #classify(): PayloadKind {
    const { bytes } = this;
    const scanner = new JsonScanner(bytes, 0, bytes.length, true);
    if (scanner.skipValue(PAYLOAD_DEPTH) && scanner.token() === -1) {
      this.#json = scanner.breaks === 0 ? bytes : withoutBreaks(bytes, 0, bytes.length);
      this.#kind = 'json';
    } else this.#kind = isUtf8(bytes) ? 'text' : 'binary';
    return this.#kind;
  }
}

/**
 * A payload whose bytes are built on demand. Once they are, `bytes` is a property of its own, as in every payload: one that
 * is an accessor from the beginning makes the object as expensive as a whole append.
 */
class LaterJsonPayload extends Payload {
  readonly #build: () => Uint8Array;

  constructor(build: () => Uint8Array) {
    super(BUILT_LATER);
    this.#build = build;
  }

  override get kind(): PayloadKind {
    return 'json';
  }

  override get json(): Uint8Array {
    return this.bytes;
  }

  static bytesOf(payload: LaterJsonPayload): Uint8Array {
    const value = payload.#build();
    Object.defineProperty(payload, 'bytes', { value, enumerable: true });
    return value;
  }
}

const NO_BYTES = new Uint8Array(0);
Object.defineProperty(LaterJsonPayload.prototype, 'bytes', {
  get(this: LaterJsonPayload): Uint8Array {
    return LaterJsonPayload.bytesOf(this);
  },
});

/** A payload that is the JSON string holding this UTF-8 text: how delta subscriptions on JSON connections carry data. */
export function jsonString(text: Uint8Array): Payload {
  return Payload.ofJson(quote(text));
}

/** The empty payload. */
export const EMPTY_PAYLOAD: Payload = new Payload(NO_BYTES);
