/** Runs work one at a time: a call during a run causes one more run after it, however many calls there are. */
export class SingleRun {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;
  #again = false;

  /** `work` must not reject. */
  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Resolves when a run that began after this call is over. */
  run(): Promise<void> {
    this.#again = true;
    this.#running ??= this.#repeat();
    return this.#running;
  }

  /** Resolves when no run is under way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #repeat(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      await this.#work();
    }
    this.#running = undefined;
  }
}
