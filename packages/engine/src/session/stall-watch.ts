import { WheelTimer } from '../timers/timer-wheel.ts';
import type { WriteQueueOptions } from './write-queue-contract.ts';

/** Notices a peer that takes no bytes: it runs only while the socket holds bytes that the operating system has not taken. */
export class StallWatch {
  readonly #options: Pick<WriteQueueOptions, 'wheel' | 'stallMs'>;
  readonly #check: () => void;
  #timer: WheelTimer | null = null;
  /** Bytes taken by the operating system when the timer was set. */
  #takenBytes = 0;

  /** @param check called `stallMs` after {@link watch} */
  constructor(options: Pick<WriteQueueOptions, 'wheel' | 'stallMs'>, check: () => void) {
    this.#options = options;
    this.#check = check;
  }

  /** Checks later whether the operating system has taken more bytes than these; a scheduled check stays. */
  watch(takenBytes: number): void {
    this.#timer ??= new WheelTimer(this.#check);
    if (this.#timer.scheduled) return;
    this.#takenBytes = takenBytes;
    this.#options.wheel.schedule(this.#timer, this.#options.stallMs);
  }

  /** True when nothing was taken since the last {@link watch}. */
  isStalled(takenBytes: number): boolean {
    return takenBytes === this.#takenBytes;
  }

  cancel(): void {
    if (this.#timer !== null) this.#options.wheel.cancel(this.#timer);
  }
}
