import type { Bell } from '@msg/engine/threads';
import type { Loop } from './loop.ts';

/** A bell of a simulated thread: it wakes its end some turns after it was rung. */
class DelayedBell implements Bell {
  readonly #loop: Loop;
  readonly #delay: () => number;
  #wake: (() => void) | null = null;
  other: DelayedBell | null = null;

  constructor(loop: Loop, delay: () => number) {
    this.#loop = loop;
    this.#delay = delay;
  }

  sleep(wake: () => void): void {
    this.#wake ??= wake;
  }

  ring(): void {
    this.other?.rung();
  }

  close(): void {
    this.#wake = null;
  }

  /** The other end rang. */
  rung(): void {
    if (this.#wake === null) return;
    const wake = this.#wake;
    this.#wake = null;
    this.#loop.post(wake, this.#delay());
  }
}

/** The bells of both ends of a link. */
export function bells(main: Loop, thread: Loop, delay: () => number): [main: Bell, thread: Bell] {
  const pair = [new DelayedBell(main, delay), new DelayedBell(thread, delay)] as const;
  pair[0].other = pair[1];
  pair[1].other = pair[0];
  return [...pair];
}
