import type { Stream } from '../kernel/stream.ts';

/** What a switch can be. */
export type SwitchValue = string | number | boolean;

/** One switch of a class of worlds. */
export interface Switch {
  readonly name: string;
  /** The simplest one first; one that stands several times is drawn more often. */
  readonly values: readonly SwitchValue[];
}

/** The values of one run, by the names of the switches. */
export type Switches = Readonly<Record<string, SwitchValue>>;

/** One value for each switch; those of `fixed` are not drawn. A switch has a stream of its own. */
export function drawSwitches(
  table: readonly Switch[],
  stream: (purpose: string) => Stream,
  fixed: Switches = {},
): Switches {
  return Object.fromEntries(
    table.map(({ name, values }) => [name, fixed[name] ?? stream(`switch ${name}`).pick(values)]),
  );
}

/** Every switch at its simplest value, but those of a plan: one that is older than a switch does not have it. */
export function withSimplest(table: readonly Switch[], planned: Switches = {}): Switches {
  return Object.fromEntries(table.map(({ name, values }) => [name, planned[name] ?? values[0] ?? false]));
}
