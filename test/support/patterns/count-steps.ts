import type { Program, Step } from './positions.ts';

/** Far beyond what a linear pattern takes for the texts of a test. */
const MOST_STEPS = 200_000;

/**
 * How many steps a backtracking matcher takes to look through `text` as `test`, `exec` or, for a global pattern,
 * `replace` do: from each place where a match may start, each way through the pattern until one matches. Nothing is
 * remembered between two ways, as in the engines of JavaScript. Infinity for more than 200,000.
 */
export function countSteps({ start, anchored, global }: Program, text: string): number {
  const characters = [...text];
  const count = { steps: 0 };
  for (let from = 0; from <= characters.length; ) {
    const end = match(start, characters, from, count);
    if (end === undefined) {
      if (anchored) break;
      from++;
    } else if (!global) break;
    else from = Math.max(end, from + 1);
    if (count.steps > MOST_STEPS) break;
  }
  return count.steps > MOST_STEPS ? Number.POSITIVE_INFINITY : count.steps;
}

interface Thread {
  readonly step: Step;
  readonly at: number;
  /** Where each repetition that is under way began its present iteration. */
  readonly loops: ReadonlyMap<Step, number>;
}

/** Depth first, the first way first; the index after the match. */
function match(
  start: Step,
  text: readonly string[],
  from: number,
  count: { steps: number },
): number | undefined {
  const waiting: Thread[] = [{ step: start, at: from, loops: new Map() }];
  for (let thread = waiting.pop(); thread !== undefined; thread = waiting.pop()) {
    const { step, at, loops } = thread;
    count.steps++;
    if (step.kind === 'end') return at;
    if (count.steps > MOST_STEPS) return undefined;
    if (step.kind === 'letter') {
      const character = text[at];
      if (character === undefined || step.reads?.(character) !== true) continue;
      waiting.push({ step: step.next[0] as Step, at: at + 1, loops });
    } else if (step.kind === 'check') {
      if (step.holds?.(text, at) === true) waiting.push({ step: step.next[0] as Step, at, loops });
    } else if (step.repeats === true) {
      if (loops.get(step) === at) continue;
      const [body, after] = step.next as [Step, Step];
      waiting.push({ step: after, at, loops }, { step: body, at, loops: new Map([...loops, [step, at]]) });
    } else {
      for (const next of step.next.toReversed()) waiting.push({ step: next, at, loops });
    }
  }
  return undefined;
}
