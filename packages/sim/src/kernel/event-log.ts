/** Events between two checkpoints of the hash. */
export const CHECKPOINT_EVERY = 4096;

/** What an event leaves in the log. */
export interface LoggedEvent {
  readonly atUs: number;
  readonly actor: string;
  readonly kind: string;
  /** Length of the bytes or arguments, and a digest of them. */
  readonly length: number;
  readonly digest: number;
}

/** A running 64-bit hash over all events of a run. */
export class EventLog {
  count = 0;
  readonly checkpoints: string[] = [];
  #low = 0x811c9dc5;
  #high = 0xcbf29ce4;
  readonly #digests = new Map<string, number>();
  readonly #isHashed: boolean;
  readonly #record: ((event: LoggedEvent) => void) | undefined;

  /**
   * With `record` every event is passed on, for `sim diff` and for the last events before a violation. Without hashes events
   * are only counted.
   */
  constructor(record?: (event: LoggedEvent) => void, isHashed = true) {
    this.#record = record;
    this.#isHashed = isHashed;
  }

  append(event: LoggedEvent): void {
    this.count++;
    if (!this.#isHashed) return;
    const { atUs, actor, kind, length, digest } = event;
    this.#mix(atUs | 0);
    this.#mix(Math.floor(atUs / 2 ** 32));
    this.#mix(this.#digestOf(actor));
    this.#mix(this.#digestOf(kind));
    this.#mix(length);
    this.#mix(digest);
    if (this.count % CHECKPOINT_EVERY === 0) this.checkpoints.push(this.hash);
    this.#record?.(event);
  }

  /** The hash so far, 16 hex digits. */
  get hash(): string {
    return hex(this.#high) + hex(this.#low);
  }

  #mix(word: number): void {
    this.#low = Math.imul(this.#low ^ word, 0x01000193);
    this.#high = Math.imul(this.#high ^ word ^ (this.#low >>> 15), 0x85ebca6b);
    this.#low ^= this.#high >>> 13;
  }

  #digestOf(text: string): number {
    let digest = this.#digests.get(text);
    if (digest === undefined) {
      digest = digestOf(Buffer.from(text));
      this.#digests.set(text, digest);
    }
    return digest;
  }
}

/** A 32-bit digest of bytes (FNV-1a). */
export function digestOf(bytes: Uint8Array): number {
  let digest = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) digest = Math.imul(digest ^ (bytes[i] ?? 0), 0x01000193);
  return digest >>> 0;
}

/** One line of a record. */
export function eventLine({ atUs, actor, kind, length, digest }: LoggedEvent): string {
  return `${(atUs / 1_000_000).toFixed(6)} ${actor} ${kind} ${length} ${hex(digest)}`;
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
