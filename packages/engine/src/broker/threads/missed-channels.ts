/** Names that are remembered; beyond them a gap is in all channels (threads 3.2). */
const MOST_NAMES = 10_000;

/** Channels of which events for a thread were dropped. */
export class MissedChannels {
  #names = new Set<string>();
  #isAll = false;

  add(channel: string): void {
    if (this.#isAll) return;
    this.#names.add(channel);
    if (this.#names.size <= MOST_NAMES) return;
    this.#isAll = true;
    this.#names.clear();
  }

  /** The names, and forgets them; undefined: all channels. */
  take(): readonly string[] | undefined {
    const names = this.#isAll ? undefined : [...this.#names];
    this.#isAll = false;
    this.#names.clear();
    return names;
  }
}
