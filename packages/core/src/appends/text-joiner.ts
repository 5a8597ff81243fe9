/** The decoder of all browsers and Node.js. */
const newDecoder = (): TextDecoder => new TextDecoder();

const HIGH_SURROGATE = /[\ud800-\udbff]$/;

/** Joins characters that were split between two writes. What stays incomplete becomes U+FFFD. */
export class TextJoiner {
  /** The first half of a surrogate pair. */
  #half = '';
  #decoder: TextDecoder | null = null;

  /** The complete characters of what was written so far. */
  add(written: string | Uint8Array): string {
    if (typeof written !== 'string') {
      const before = this.#half === '' ? '' : this.#takeHalf();
      this.#decoder ??= newDecoder();
      return before + this.#decoder.decode(written, { stream: true });
    }
    const text = this.#takeBytes() + this.#half + written;
    const isCut = HIGH_SURROGATE.test(text);
    this.#half = isCut ? text.slice(-1) : '';
    return (isCut ? text.slice(0, -1) : text).toWellFormed();
  }

  /** What is left at the end. */
  end(): string {
    return this.#takeBytes() + this.#takeHalf();
  }

  #takeHalf(): string {
    const half = this.#half.toWellFormed();
    this.#half = '';
    return half;
  }

  #takeBytes(): string {
    const rest = this.#decoder?.decode() ?? '';
    this.#decoder = null;
    return rest;
  }
}
