import { applyDelta, type Encoding, type Publication } from '@msg/protocol';

/** Undoes the delta encoding as a client does: keeps a base and applies patches to it. */
export class DeltaReader {
  readonly #encoding: Encoding;
  #base: Uint8Array | null = null;
  patches = 0;

  constructor(encoding: Encoding) {
    this.#encoding = encoding;
  }

  /** The payload as text. Throws where a client would break. */
  read(publication: Publication): string {
    return this.bytes(publication).toString();
  }

  /** The payload in the form of the encoding. Throws where a client would break. */
  bytes({ data, delta }: Publication): Buffer {
    let bytes = data.bytes;
    if (this.#encoding === 'json') {
      const text: unknown = JSON.parse(Buffer.from(bytes).toString());
      if (typeof text !== 'string') throw new Error('data of a delta subscription must be a JSON string');
      bytes = Buffer.from(text);
    }
    if (delta) {
      if (this.#base === null) throw new Error('a patch without a base');
      bytes = applyDelta(this.#base, bytes);
      this.patches++;
    }
    this.#base = bytes;
    return Buffer.from(bytes);
  }
}
