import { CLIENT_VALUES, type Drawn, STREAM_VALUES, type Switches } from './switches.ts';

/** Faults of every class on the world of `standard`. */
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
] as const;

/** Faults of a Redis, and of the ways to it. */
export const STORE_FAULTS = [
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

/** Faults of these classes that need replicas. */
export const FAIL_OVERS = [
  'fail-over',
  'fail-over that loses a tail',
  'two masters',
  'fail-over to an empty replica',
] as const;

/** The fault of stores that are a cluster. */
export const SLOT_MOVE = 'slot migration';

/** Switches that are no faults, with the values of the class `standard`. */
export const STANDARD_VALUES = {
  ...STREAM_VALUES,
  ...CLIENT_VALUES,
  /** Faults for so long; calm follows. */
  stormMs: [60_000, 180_000, 180_000],
  /** How many virtual hours a run lasts if that is not asked for; 0: one storm and its calm. */
  hours: [0],
  /** In each storm there is a night: nothing is published, and most clients are gone. */
  nights: [false],
  /** A fault in so many milliseconds on average. */
  faultEveryMs: [30_000, 20_000, 6000, 3000],
  nodes: [1, 2, 3, 3, 5],
  clients: [2, 4, 8, 16],
  publishers: [1, 2, 4],
  channels: [1, 2, 4],
  historySize: [100, 100, 20, 20, 5, 5, 1],
  /** Of 100 publishers and channels so many fall silent during the storm. */
  silentPercent: [0, 40, 100],
  /** How long a node that drains takes to send its clients elsewhere. */
  drainWindowMs: [0, 2000],
  /** What a killed store finds on its disk: all writes, or nothing. */
  persistence: ['always', 'always', 'no'],
  /** One server, or a master with two replicas and three Sentinels. */
  store: ['standalone', 'standalone', 'sentinel'],
  /** Publishers repeat with a key what has no answer; without a key they give it up. */
  keys: [true, true, false],
  /** Users refresh their sessions. */
  sessions: [false, true],
  /** Two people add signing keys. */
  signingKeys: [false, false, true],
  /** Channels close when nothing happens in them. */
  idleChannels: [false, true],
  /** A backend publishes more than it may. */
  limited: [false, true],
} as const;

type StandardFault =
  | (typeof STANDARD_FAULTS)[number]
  | (typeof STORE_FAULTS)[number]
  | (typeof FAIL_OVERS)[number];

/** The switches of one run of the class `standard`, or of another one on its world. */
export type StandardSwitches = Drawn<typeof STANDARD_VALUES> & {
  readonly [Name in StandardFault]: boolean;
};

/** The switches by their types. */
export function standardSwitches(switches: Switches): StandardSwitches {
  return switches as StandardSwitches; // drawn from the table of their class, or checked against it
}
