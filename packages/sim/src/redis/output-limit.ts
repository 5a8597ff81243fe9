const HARD_BYTES = 32 * 1024 * 1024;
const SOFT_BYTES = 8 * 1024 * 1024;
const SOFT_MS = 60_000;

/** How far a subscriber may fall behind: 32 MiB, or 8 MiB for 60 s. */
export class OutputLimit {
  readonly #now: () => number;
  #aboveSinceMs: number | undefined;

  /** @param now milliseconds that never go back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** To be asked at each write. */
  isExceeded(waitingBytes: number): boolean {
    if (waitingBytes < SOFT_BYTES) {
      this.#aboveSinceMs = undefined;
      return false;
    }
    this.#aboveSinceMs ??= this.#now();
    return waitingBytes >= HARD_BYTES || this.#now() - this.#aboveSinceMs >= SOFT_MS;
  }
}
