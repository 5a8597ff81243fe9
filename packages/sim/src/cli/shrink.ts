import { switchesOf } from '../plan/classes.ts';
import type { DrawnPlan } from '../plan/plan.ts';
import type { Step } from '../plan/steps.ts';
import type { PlayedRun, PlayRequest } from './request.ts';
import { playInProcess } from './run-process.ts';

/** A plan that breaks the same promise as its seed, and less of it no longer does. */
export interface Shrunk {
  readonly oracle: string;
  readonly plan: DrawnPlan;
  readonly run: PlayedRun;
}

/** Longest time for one seed, real milliseconds. */
const LONGEST_MS = 300_000;
/** A step that is so long after the one before may come sooner. */
const LONG_PAUSE_MS = 2000;

/**
 * Cuts the end of a seed, leaves out faults, clients and channels, turns switches off and brings faults closer together, as
 * long as the oracle that found it still does. Undefined: the seed breaks no promise.
 */
export function shrink(
  request: Omit<PlayRequest, 'seeds'>,
  seed: number,
  longestMs = LONGEST_MS,
): Shrunk | undefined {
  const play = (plan: PlayRequest['plan']): PlayedRun | undefined =>
    playInProcess({ ...request, seeds: [seed], plan: { ...request.plan, ...plan } })[0];
  const whole = play({});
  const first = whole?.violations.toSorted((a, b) => a.atUs - b.atUs)[0];
  if (whole === undefined || first === undefined) return undefined;
  const shrinker = new Shrinker(play, whole, first.oracle, Date.now() + longestMs);
  while (shrinker.pass(switchesOf(request.world).map(({ name, values }) => [name, values[0] ?? false])));
  return { oracle: first.oracle, plan: shrinker.plan, run: shrinker.run };
}

/** Keeps the least plan so far that still breaks the promise. */
class Shrinker {
  readonly #play: (plan: DrawnPlan) => PlayedRun | undefined;
  readonly #oracle: string;
  readonly #untilMs: number;
  run: PlayedRun;

  constructor(
    play: (plan: DrawnPlan) => PlayedRun | undefined,
    whole: PlayedRun,
    oracle: string,
    untilMs: number,
  ) {
    this.#play = play;
    this.#oracle = oracle;
    this.#untilMs = untilMs;
    this.run = whole;
  }

  get plan(): DrawnPlan {
    return this.run.plan;
  }

  /** Tries every reduction once; whether one of them was of use. */
  pass(simplest: readonly (readonly [name: string, value: string | number | boolean])[]): boolean {
    const before = this.run;
    this.#cutEnd();
    for (const part of ['steps', 'clients', 'channels'] as const) this.#fewer(part);
    this.#turnOff(simplest);
    this.#closer();
    return this.run !== before;
  }

  /** Plays less; whether the same promise is broken. */
  #attempt(less: Partial<DrawnPlan>): boolean {
    if (Date.now() > this.#untilMs) return false;
    const run = this.#play({ ...this.plan, ...less });
    if (run === undefined || !run.violations.some(({ oracle }) => oracle === this.#oracle)) return false;
    this.run = run;
    return true;
  }

  /** What follows the first violation is of no use. Oracles of the end find nothing then, and the plan stays. */
  #cutEnd(): void {
    const { violations, plan } = this.run;
    const moments = violations.filter(({ oracle }) => oracle === this.#oracle).map(({ atUs }) => atUs);
    const endMs = Math.ceil(Math.min(...moments) / 1000) + 1;
    if (endMs >= plan.endMs) return;
    this.#attempt({ endMs, steps: plan.steps.filter(({ atMs }) => atMs < endMs) });
  }

  /** Leaves out in halves, then one by one. */
  #fewer(part: 'steps' | 'clients' | 'channels'): void {
    let size = Math.ceil(this.plan[part].length / 2);
    while (size >= 1) {
      for (let from = 0; from < this.plan[part].length; )
        if (!this.#attempt({ [part]: this.plan[part].toSpliced(from, size) })) from += size;
      size = size === 1 ? 0 : Math.ceil(size / 2);
    }
  }

  #turnOff(simplest: readonly (readonly [name: string, value: string | number | boolean])[]): void {
    for (const [name, value] of simplest) {
      const { switches } = this.plan;
      if (switches === undefined || switches[name] === value) continue;
      this.#attempt({ switches: { ...switches, [name]: value } });
    }
  }

  /** Rounds moments to seconds and shortens pauses. */
  #closer(): void {
    const rounded = this.plan.steps.map(step => ({ ...step, atMs: Math.round(step.atMs / 1000) * 1000 }));
    if (rounded.some(({ atMs }, i) => atMs !== this.plan.steps[i]?.atMs)) this.#attempt({ steps: rounded });
    for (let i = this.plan.steps.length - 1; i >= 0; i--) {
      const { steps } = this.plan;
      const pauseMs = pauseBefore(steps, i);
      if (pauseMs < LONG_PAUSE_MS) continue;
      const soonerMs = Math.floor(pauseMs / 2000) * 1000;
      this.#attempt({ steps: steps.map((step, k) => (k < i ? step : sooner(step, soonerMs))) });
    }
  }
}

function pauseBefore(steps: readonly Step[], i: number): number {
  return (steps[i]?.atMs ?? 0) - (steps[i - 1]?.atMs ?? 0);
}

function sooner(step: Step, ms: number): Step {
  return { ...step, atMs: step.atMs - ms };
}
