/** What arrived on a connection: kept up to a bound, counted beyond it. */
export class ReceivedBytes {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #keptBytes = 0;
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes that arrived, dropped ones included. */
  get total(): number {
    return this.#total;
  }

  take(chunk: Buffer): void {
    this.#total += chunk.length;
    const part = chunk.subarray(0, Math.max(0, this.#limit - this.#keptBytes));
    if (part.length === 0) return;
    this.#chunks.push(part);
    this.#keptBytes += part.length;
  }

  /** What is kept, as one buffer. */
  kept(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  /** Drops the first bytes of what is kept. */
  drop(length: number): void {
    const rest = this.kept().subarray(length);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#keptBytes = rest.length;
  }
}
