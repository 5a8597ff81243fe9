/** A stream of random numbers (sfc32) that a text names: equal texts give equal numbers, on every machine. */
export class Stream {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(name: string) {
    [this.#a, this.#b, this.#c] = seedOf(name);
    for (let i = 0; i < WARM_UP; i++) this.next();
  }

  /** An integer in [0, 2^32). */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }

  /** A number in [0, 1). */
  fraction(): number {
    return this.next() / 2 ** 32;
  }

  /** An integer in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  /** An integer in [least, most]. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** True in `percent` of 100 cases. */
  chance(percent: number): boolean {
    return this.fraction() * 100 < percent;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T; // no caller picks from nothing
  }

  fill(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i++) bytes[i] = this.next() & 0xff;
  }

  bytes(length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    this.fill(bytes);
    return bytes;
  }

  /** A UUID v4. */
  uuid(): string {
    const bytes = this.bytes(16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = Buffer.from(bytes).toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  }
}

/** Numbers that sfc32 needs until its state is mixed. */
const WARM_UP = 12;

/** Three words of a text (FNV-1a with three bases). */
function seedOf(name: string): [number, number, number] {
  const words: [number, number, number] = [0x811c9dc5, 0x01000193, 0x9e3779b9];
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    words[0] = Math.imul(words[0] ^ unit, 0x01000193);
    words[1] = Math.imul(words[1] ^ unit ^ (words[0] >>> 7), 0x85ebca6b);
    words[2] = Math.imul(words[2] ^ unit ^ (words[1] >>> 11), 0xc2b2ae35);
  }
  return words;
}
