const FIRST_BYTES = 1024;
const KEPT_BYTES = 65_536;
/** Texts up to this length are written here while they are ASCII: two calls out of JavaScript cost more. */
const SHORT_TEXT = 48;

/** Writes the body of a record. Its memory is used again by the next body. */
export class BodyWriter {
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  /** Starts a new body. */
  begin(): this {
    this.#length = 0;
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = Buffer.allocUnsafe(FIRST_BYTES);
    return this;
  }

  u8(value: number): this {
    this.#reserve(1);
    this.#length = this.#buffer.writeUInt8(value, this.#length);
    return this;
  }

  u32(value: number): this {
    this.#reserve(4);
    this.#length = this.#buffer.writeUInt32LE(value, this.#length);
    return this;
  }

  /** Changes a number that was written at this place. */
  setU32(at: number, value: number): void {
    this.#buffer.writeUInt32LE(value, at);
  }

  f64(value: number): this {
    this.#reserve(8);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
    return this;
  }

  text(value: string): this {
    if (value.length <= SHORT_TEXT && this.#ascii(value)) return this;
    const length = Buffer.byteLength(value);
    this.u32(length).#reserve(length);
    this.#length += this.#buffer.write(value, this.#length);
    return this;
  }

  bytes(value: Uint8Array): this {
    return this.u32(value.length).rest(value);
  }

  /** Room for bytes behind their length, to be written at once. */
  room(length: number): Uint8Array {
    this.u32(length).#reserve(length);
    this.#length += length;
    return this.#buffer.subarray(this.#length - length, this.#length);
  }

  /** Bytes of the body so far. */
  get length(): number {
    return this.#length;
  }

  /** Bytes without their length: the last member of a body. */
  rest(value: Uint8Array): this {
    this.#reserve(value.length);
    this.#buffer.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  /** The body; valid until the next one begins. */
  get body(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** The body, in memory of its own. */
  copy(): Uint8Array {
    return new Uint8Array(this.body);
  }

  /** Writes a short text of ASCII; false: it has another character, and nothing was written. */
  #ascii(value: string): boolean {
    const { length } = value;
    this.#reserve(4 + length);
    const buffer = this.#buffer;
    const start = this.#length + 4;
    for (let index = 0; index < length; index++) {
      const code = value.charCodeAt(index);
      if (code > 0x7f) return false;
      buffer[start + index] = code;
    }
    this.#length = buffer.writeUInt32LE(length, this.#length) + length;
    return true;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }
}

/** Reads the body of a record, member by member. */
export class BodyReader {
  readonly #buffer: Buffer;
  #at = 0;

  constructor(body: Uint8Array) {
    this.#buffer = Buffer.from(body.buffer, body.byteOffset, body.length);
  }

  /** @throws RangeError where the body ends too early, as every other member does */
  u8(): number {
    return this.#buffer.readUInt8(this.#advance(1));
  }

  u32(): number {
    return this.#buffer.readUInt32LE(this.#advance(4));
  }

  f64(): number {
    return this.#buffer.readDoubleLE(this.#advance(8));
  }

  text(): string {
    const length = this.u32();
    const start = this.#advance(length);
    return this.#buffer.toString('utf8', start, start + length);
  }

  /** A view of the body. */
  bytes(): Uint8Array {
    const length = this.u32();
    const start = this.#advance(length);
    return this.#buffer.subarray(start, start + length);
  }

  rest(): Uint8Array {
    return this.#buffer.subarray(this.#at);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#buffer.length;
  }

  #advance(bytes: number): number {
    const at = this.#at;
    this.#at += bytes;
    if (this.#at > this.#buffer.length) throw new RangeError('the body of a record ends too early');
    return at;
  }
}
