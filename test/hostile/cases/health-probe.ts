const PERIOD_MS = 500;
const TIMEOUT_MS = 15_000;

/** Asks a server's health path again and again: its failures, and its longest answer. */
export class HealthProbe {
  failures = 0;
  #slowestMs = 0;
  #stopped = false;
  readonly #done: Promise<void>;

  constructor(url: string) {
    this.#done = this.#run(url);
  }

  /** Answers the longest time an answer took, milliseconds. */
  async stop(): Promise<number> {
    this.#stopped = true;
    await this.#done;
    return this.#slowestMs;
  }

  async #run(url: string): Promise<void> {
    while (!this.#stopped) {
      const startedAt = performance.now();
      try {
        const response = await fetch(url, {
          headers: { connection: 'close' },
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        await response.arrayBuffer();
        if (!response.ok) this.failures++;
      } catch {
        this.failures++;
      }
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - startedAt);
      await new Promise(resolve => setTimeout(resolve, PERIOD_MS));
    }
  }
}
