import type { Clock, TimerHandle } from '@msg/foundation/clock';
import { BEAT_MS } from './supervisor.ts';
import type { ThreadRow } from './thread-table.ts';

/** Beats of main that may be missing, 10 s, before a thread says that the process is not alive. */
const MISSING_BEATS = 40;

/** Beats for its thread, and listens to main's heart. */
export class Heart {
  readonly #clock: Clock;
  readonly #row: ThreadRow;
  readonly #main: ThreadRow | undefined;
  #timer: TimerHandle | null = null;
  #beatsOfMain = 0;
  #missing = 0;

  /** @param main absent for main itself */
  constructor(clock: Clock, row: ThreadRow, main?: ThreadRow) {
    this.#clock = clock;
    this.#row = row;
    this.#main = main;
    this.#beat();
  }

  /** Main has beaten within the last 10 s of this thread. */
  get hearsMain(): boolean {
    return this.#missing < MISSING_BEATS;
  }

  stop(): void {
    if (this.#timer !== null) this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
  }

  #beat(): void {
    this.#row.beat();
    const beats = this.#main?.beats ?? 0;
    this.#missing = beats === this.#beatsOfMain ? this.#missing + 1 : 0;
    this.#beatsOfMain = beats;
    this.#timer = this.#clock.setTimeout(() => this.#beat(), BEAT_MS);
  }
}
