import { CLIENT_VALUES, type Drawn, STREAM_VALUES, type Switches, switchTable } from './switches.ts';

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

/** Faults of the class `standard` that need replicas. */
export const FAIL_OVERS = [
  'fail-over',
  'fail-over that loses a tail',
  'two masters',
  'fail-over to an empty replica',
] as const;

/** Switches that are no faults. */
const VALUES = {
  ...STREAM_VALUES,
  ...CLIENT_VALUES,
  /** Faults for so long; calm follows. */
  stormMs: [60_000, 180_000, 180_000],
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
} as const;

type StandardFault = (typeof STANDARD_FAULTS)[number] | (typeof FAIL_OVERS)[number];

/** The switches of one run of the class `standard`. */
export type StandardSwitches = Drawn<typeof VALUES> & {
  readonly [Name in StandardFault]: boolean;
};

/** Every switch of the class `standard`. */
export const STANDARD_SWITCHES = switchTable(VALUES, [...STANDARD_FAULTS, ...FAIL_OVERS]);

/** The switches by their types. */
export function standardSwitches(switches: Switches): StandardSwitches {
  return switches as StandardSwitches; // drawn from STANDARD_SWITCHES, or checked against them
}

/** Whether the faults of the class have this name, and a run with these switches can have it. */
export function isFaultOfStandard(switches: Switches, name: string): boolean {
  if (FAIL_OVERS.some(fault => fault === name)) return switches['store'] === 'sentinel';
  return STANDARD_FAULTS.some(fault => fault === name);
}
