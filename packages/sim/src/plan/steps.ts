import type { Stream } from '../kernel/stream.ts';
import type { Round } from './timetable.ts';

/** A fault that happens at a moment of a run. */
export interface Step {
  readonly atMs: number;
  /** The kind of fault. */
  readonly name: string;
  /** Names the stream that it draws from: a step that is left out leaves the draws of the others alone. */
  readonly draw: number;
}

/** A kind of fault that may be drawn. */
export interface StepKind {
  readonly name: string;
  /** How often it is drawn, compared with the others. */
  readonly weight: number;
}

/** When the first step may be. */
const FIRST_MS = 1000;
/** The least time between two steps. */
const LEAST_MS = 200;

/** Draws steps until a moment, on average one in `everyMs`. */
export function drawSteps(
  stream: (purpose: string) => Stream,
  kinds: readonly StepKind[],
  everyMs: number,
  untilMs: number,
): readonly Step[] {
  const weighted = kinds.flatMap(({ name, weight }) => Array<string>(weight).fill(name));
  const [pauses, names] = [stream('pauses of the steps'), stream('kinds of the steps')];
  const steps: Step[] = [];
  if (weighted.length === 0) return steps;
  for (let atMs = FIRST_MS; ; ) {
    atMs += pauses.between(LEAST_MS, 2 * everyMs);
    if (atMs > untilMs) return steps;
    steps.push({ atMs, name: names.pick(weighted), draw: steps.length });
  }
}

/** Draws steps for each round of a run, in its storm. */
export function drawRounds(
  stream: (purpose: string) => Stream,
  kinds: readonly StepKind[],
  everyMs: number,
  rounds: readonly Round[],
): readonly Step[] {
  const steps: Step[] = [];
  for (const [i, { fromMs, calmFromMs }] of rounds.entries()) {
    const ofRound = (purpose: string): Stream => stream(i === 0 ? purpose : `${purpose} of round ${i}`);
    for (const step of drawSteps(ofRound, kinds, everyMs, calmFromMs - fromMs))
      steps.push({ ...step, atMs: fromMs + step.atMs, draw: steps.length });
  }
  return steps;
}
