import type { Action, State, Trace } from './trace.ts';
import { FormalWorld } from './world.ts';

/** The first step after which the code was elsewhere than the model. */
export interface Difference {
  /** From 1. */
  readonly step: number;
  readonly action: Action;
  readonly model: State;
  readonly code: State;
  readonly errors: readonly string[];
}

/** Takes the steps of a trace of the model in the code, and compares the states. */
export async function replay({ steps }: Trace): Promise<Difference | null> {
  const world = new FormalWorld();
  await world.start();
  try {
    for (const [i, { action, state: model }] of steps.entries()) {
      await world.take(action);
      const code = world.state;
      if (!equal(code, model) || world.errors.length > 0)
        return { step: i + 1, action, model, code, errors: world.errors };
    }
    return null;
  } finally {
    await world.stop();
  }
}

function equal(a: State, b: State): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
