import { setTimeout as pause } from 'node:timers/promises';
import { type Scrape, scrape } from '../../packages/server/test/support/scrape.ts';

const EVERY_MS = 250;
const CALL_MS = 3000;

/** Looks at the counters of a service four times a second: none may ever fall. */
export class Counters {
  readonly fallen: string[] = [];
  looks = 0;
  readonly #url: string;
  readonly #values = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(url: string) {
    this.#url = url;
    this.#schedule();
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      void this.#look().then(() => {
        if (!this.#isOver) this.#schedule();
      });
    }, EVERY_MS);
  }

  async #look(): Promise<void> {
    const timeout = pause(CALL_MS, undefined, { ref: false });
    // The thread that is asked may be the one that ends.
    const seen = await Promise.race([scrape(this.#url).catch(() => undefined), timeout]);
    if (seen === undefined) return;
    this.looks++;
    this.#compare(seen);
  }

  #compare({ metrics }: Scrape): void {
    for (const { type, samples } of metrics.values()) {
      if (type !== 'counter' && type !== 'histogram') continue;
      for (const [name, rows] of samples)
        for (const { labels, value } of rows) {
          const series = `${name}${JSON.stringify(labels)}`;
          const before = this.#values.get(series) ?? 0;
          if (value < before) this.fallen.push(`${series} fell from ${before} to ${value}`);
          this.#values.set(series, value);
        }
    }
  }
}
