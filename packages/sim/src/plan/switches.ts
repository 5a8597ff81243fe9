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

/** Switches of streams and what is published in them, with the same values in each class. */
export const STREAM_VALUES = {
  historyTtlMs: [300_000, 30_000, 5000],
  recovery: ['stream', 'stream', 'stream', 'stream', 'cache', 'off'],
  delta: [false, false, true],
  joinLeave: [false, false, true],
  /** Clients ask shortly before the end who is in their channels. */
  presence: [false, false, true],
  compaction: [true, false],
  /** Milliseconds between two publications of a channel, or of a publisher in it, on average. */
  publishing: ['mixed', 'mixed', 'dense', 'sparse'],
  payloads: ['small', 'mixed', 'large', 'similar'],
  /** Applications unsubscribe and subscribe again. */
  churn: [false, false, true],
} as const;

/** Switches of stock clients, with the same values in each class. */
export const CLIENT_VALUES = {
  /** What they write on the wire; mixed: each draws its own. */
  encoding: ['json', 'mixed', 'mixed', 'protobuf'],
  /** How they are connected; mixed: each draws its own. */
  transport: ['websocket', 'websocket', 'mixed', 'http_stream', 'sse'],
} as const;

type Widened<Value> = Value extends string ? Value : Value extends number ? number : boolean;

/** What one run draws of such values. */
export type Drawn<Values> = {
  readonly [Name in keyof Values]: Values[Name] extends readonly (infer Value)[] ? Widened<Value> : never;
};

/** Each kind of fault is on in two of three runs. */
const ON_OR_OFF: readonly SwitchValue[] = [false, true, true];

/** The switches of a class: values, and kinds of faults. */
export function switchTable(
  values: Readonly<Record<string, readonly SwitchValue[]>>,
  faults: readonly string[],
): readonly Switch[] {
  return [
    ...Object.entries(values).map(([name, several]) => ({ name, values: several })),
    ...faults.map(name => ({ name, values: ON_OR_OFF })),
  ];
}
