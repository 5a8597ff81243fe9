import type { Clock, TimerHandle } from '@msg/foundation/clock';

const SLOTS = 1024;

/**
 * One entry of a {@link TimerWheel}. Owned by the object that schedules it; embed one per connection and
 * reschedule it, instead of creating a runtime timer per deadline.
 */
export class WheelTimer {
  /** Called with the timer when it is due, once per scheduling: one function can serve many timers. */
  readonly expired: (timer: WheelTimer) => void;
  /** A moment of the clock's monotonic time; 0 while idle. Written by the wheel only. */
  due = 0;
  /** Neighbours in the wheel's slot; the slot's head points to itself when empty. Owned by the wheel. */
  next: WheelTimer | null = null;
  previous: WheelTimer | null = null;

  constructor(expired: (timer: WheelTimer) => void) {
    this.expired = expired;
  }

  get scheduled(): boolean {
    return this.next !== null;
  }
}

/** A slot's head never fires. */
function ignore(): void {}

function unlink(timer: WheelTimer): void {
  const { next, previous } = timer;
  if (next === null || previous === null) return;
  previous.next = next;
  next.previous = previous;
  timer.next = null;
  timer.previous = null;
}

/**
 * Hashed timing wheel: tens of thousands of timers for the price of one runtime timer, O(1) to move one. It sleeps until
 * the next slot that holds a timer, so an idle node is not woken. Delays of any length are fine (no 2^31 ms limit); a
 * timer never fires early and at most one tick late.
 */
export class TimerWheel {
  readonly #clock: Clock;
  readonly #tickMs: number;
  readonly #slots: WheelTimer[] = [];
  #size = 0;
  /** Tick number up to which every slot has been visited, or was empty while the wheel slept. */
  #cursor = 0;
  #driver: TimerHandle | null = null;
  /** Tick at which the driver wakes; infinite while nothing is scheduled, 0 while timers fire: nothing is earlier. */
  #wake = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, tickMs = 100) {
    this.#clock = clock;
    this.#tickMs = tickMs;
    for (let i = 0; i < SLOTS; i++) {
      const head = new WheelTimer(ignore);
      head.next = head;
      head.previous = head;
      this.#slots.push(head);
    }
  }

  /** Number of scheduled timers. */
  get size(): number {
    return this.#size;
  }

  /** Schedules, or moves, a timer to fire `delayMs` from now. */
  schedule(timer: WheelTimer, delayMs: number): void {
    this.scheduleAt(timer, this.#clock.monotonic() + Math.max(0, delayMs));
  }

  /** Schedules, or moves, a timer to fire at a moment of the clock's monotonic time, which need not be looked up again. */
  scheduleAt(timer: WheelTimer, due: number): void {
    if (timer.scheduled) unlink(timer);
    else this.#size++;
    timer.due = due;
    const tick = Math.max(Math.ceil(due / this.#tickMs), this.#cursor + 1);
    const head = this.#slots[tick % SLOTS] as WheelTimer;
    const tail = head.previous as WheelTimer;
    timer.previous = tail;
    timer.next = head;
    tail.next = timer;
    head.previous = timer;
    if (tick < this.#wake) this.#sleepUntil(tick);
  }

  cancel(timer: WheelTimer): void {
    if (!timer.scheduled) return;
    unlink(timer);
    timer.due = 0;
    this.#size--;
    if (this.#size === 0 && this.#driver !== null) this.#halt();
  }

  /** Cancels every timer. What is scheduled later still fires; the last that is cancelled leaves nothing behind. */
  stop(): void {
    for (const head of this.#slots) {
      while (head.next !== head) unlink(head.next as WheelTimer);
    }
    this.#size = 0;
    if (this.#driver !== null) this.#halt();
  }

  #halt(): void {
    this.#clock.clearTimeout(this.#driver as TimerHandle);
    this.#driver = null;
    this.#wake = Number.POSITIVE_INFINITY;
  }

  #sleepUntil(tick: number): void {
    if (this.#driver !== null) this.#clock.clearTimeout(this.#driver);
    // At most one round: a later timer wakes the wheel once in each.
    const soonest = Math.min(tick, Math.floor(this.#clock.monotonic() / this.#tickMs) + SLOTS);
    this.#wake = soonest;
    const delay = Math.ceil(soonest * this.#tickMs - this.#clock.monotonic());
    this.#driver = this.#clock.setTimeout(this.#advance, Math.max(0, delay));
  }

  readonly #advance = (): void => {
    this.#driver = null;
    this.#wake = 0;
    const now = this.#clock.monotonic();
    const target = Math.floor(now / this.#tickMs);
    // After a long pause (a suspended machine) one round visits every slot; more would find nothing new.
    this.#cursor = Math.max(this.#cursor, target - SLOTS);
    try {
      while (this.#cursor < target) this.#fire(this.#slots[++this.#cursor % SLOTS] as WheelTimer, now);
    } catch (error) {
      this.#cursor--; // the other timers of the slot are still due
      throw error;
    } finally {
      this.#wake = Number.POSITIVE_INFINITY;
      if (this.#size > 0) this.#sleepUntil(this.#nextTick());
    }
  };

  /** The next tick whose slot holds a timer. */
  #nextTick(): number {
    let tick = this.#cursor + 1;
    for (;;) {
      const head = this.#slots[tick % SLOTS] as WheelTimer;
      if (head.next !== head) return tick;
      tick++;
    }
  }

  #fire(head: WheelTimer, now: number): void {
    let timer = head.next as WheelTimer;
    // Expired timers leave the slot first: a callback may reschedule into it, or cancel a neighbour.
    const due: WheelTimer[] = [];
    while (timer !== head) {
      if (timer.due <= now) due.push(timer);
      timer = timer.next as WheelTimer;
    }
    for (const expired of due) {
      if (!expired.scheduled || expired.due > now) continue;
      this.cancel(expired);
      expired.expired(expired);
    }
  }
}
