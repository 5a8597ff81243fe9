import type { Switch, Switches, SwitchValue } from './switches.ts';

/** Faults of the class `standard`. */
export const STANDARD_FAULTS = [
  'cut',
  'stall',
  'stall of one direction',
  'silence',
  'pause of a client',
  'pause of a node',
  'clock jump of a node',
  'kill of a node',
  'rolling restart',
  'cut between a node and the store',
  'partition between a node and the store',
  'one direction between a node and the store',
  'silence between a node and the store',
  'slow store',
  'pause of the store',
  'kill of the store',
  'refusals of the store',
  'messages of the store lost',
  'connections ended by an operator',
  'scripts flushed',
  'flush of the store',
] as const;

/** Switches that are no faults. */
const VALUES = {
  /** Faults for so long; calm follows. */
  stormMs: [60_000, 180_000, 180_000],
  /** A fault in so many milliseconds on average. */
  faultEveryMs: [30_000, 20_000, 6000, 3000],
  nodes: [1, 2, 3, 3, 5],
  clients: [2, 4, 8, 16],
  publishers: [1, 2, 4],
  channels: [1, 2, 4],
  historySize: [100, 100, 20, 20, 5, 5, 1],
  historyTtlMs: [300_000, 30_000, 5000],
  recovery: ['stream', 'stream', 'stream', 'stream', 'cache', 'off'],
  delta: [false, false, true],
  joinLeave: [false, false, true],
  compaction: [true, false],
  /** Milliseconds between two publications of a publisher in a channel on average. */
  publishing: ['mixed', 'mixed', 'dense', 'sparse'],
  payloads: ['small', 'mixed', 'large', 'similar'],
  /** Applications unsubscribe and subscribe again. */
  churn: [false, false, true],
  /** Of 100 publishers and channels so many fall silent during the storm. */
  silentPercent: [0, 40, 100],
  /** How long a node that drains takes to send its clients elsewhere. */
  drainWindowMs: [0, 2000],
  /** What a killed store finds on its disk: all writes, or nothing. */
  persistence: ['always', 'always', 'no'],
} as const;

/** The switches of one run of the class `standard`. */
export type StandardSwitches = {
  readonly [Name in keyof typeof VALUES]: (typeof VALUES)[Name] extends readonly (infer Value)[]
    ? Widened<Value>
    : never;
} & { readonly [Name in (typeof STANDARD_FAULTS)[number]]: boolean };

type Widened<Value> = Value extends string ? Value : Value extends number ? number : boolean;

/** Each kind of fault is on in two of three runs. */
const ON_OR_OFF: readonly SwitchValue[] = [false, true, true];

/** Every switch of the class `standard`. */
export const STANDARD_SWITCHES: readonly Switch[] = [
  ...Object.entries(VALUES).map(([name, values]) => ({ name, values })),
  ...STANDARD_FAULTS.map(name => ({ name, values: ON_OR_OFF })),
];

/** The switches by their types. */
export function standardSwitches(switches: Switches): StandardSwitches {
  return switches as StandardSwitches; // drawn from STANDARD_SWITCHES, or checked against them
}
