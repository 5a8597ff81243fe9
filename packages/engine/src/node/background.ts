/** Work of closed connections that a stop waits for. */
export class BackgroundWork {
  readonly #reportError: (error: unknown) => void;
  readonly #work = new Set<Promise<void>>();

  constructor(reportError: (error: unknown) => void) {
    this.#reportError = reportError;
  }

  add(work: Promise<void>): void {
    const tracked = work.catch(this.#reportError).finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  /** Resolves when all current work is done. */
  async settled(): Promise<void> {
    await Promise.all(this.#work);
  }
}
