import { CLIENT_VALUES, type Drawn, STREAM_VALUES, type Switches, switchTable } from './switches.ts';

/** Faults of the class `memory`. */
const FAULTS = [
  'cut',
  'stall',
  'stall of one direction',
  'silence',
  'pause of a client',
  'pause of the node',
  'clock jump of the node',
  'restart of the node',
] as const;

/** Faults between a store and its node: only where a road lies between them. */
const ROAD_FAULTS = [
  'loss between store and node',
  'outage between store and node',
  'messages of the store twice',
  'late messages of the store',
] as const;

/** Switches that are no faults. */
const VALUES = {
  ...STREAM_VALUES,
  ...CLIENT_VALUES,
  /** Faults for so long; calm follows. */
  stormMs: [60_000, 180_000, 180_000],
  /** A fault in so many milliseconds on average. */
  faultEveryMs: [30_000, 6000, 2000, 2000],
  clients: [2, 3, 5, 8, 12],
  channels: [1, 2, 4],
  historySize: [100, 100, 20, 20, 5, 5, 1, 1, 0],
  /** Clients ask for every second publication; in channels without recovery and deltas. */
  filter: [false, false, true],
  /** They do so also in channels with recovery: of deltas stock clients take none then. */
  filterRecovered: [false, true],
  /** A publication is sent twice now and then, with a key or a version that tells. */
  repeats: ['none', 'none', 'key', 'version'],
  /** Of 100 channels so many fall silent during the storm: only a check finds what was lost at their end. */
  silentPercent: [0, 40, 40, 100],
  /** The longest way between store and node; 0: the streams are in the node. */
  roadMs: [0, 0, 20, 100, 300],
  /** Of 100 messages of the store so many are lost throughout the storm. */
  lossPercent: [0, 0, 2, 10, 40],
  /** The store loses everything shortly before a channel falls silent. */
  lossBeforeSilence: [false, true],
  /** An outage of the road in the calm, at whose end all channels are silent. */
  lateOutage: [false, true],
} as const;

type MemoryFault = (typeof FAULTS)[number] | (typeof ROAD_FAULTS)[number];

/** The switches of one run of the class `memory`. */
export type MemorySwitches = Drawn<typeof VALUES> & { readonly [Name in MemoryFault]: boolean };

/** Every switch of the class `memory`. */
export const MEMORY_SWITCHES = switchTable(VALUES, [...FAULTS, ...ROAD_FAULTS]);

/** The switches by their types. */
export function memorySwitches(switches: Switches): MemorySwitches {
  return switches as MemorySwitches; // drawn from MEMORY_SWITCHES, or checked against them
}

/** Whether clients of a run with these switches filter. */
export function hasFilter({
  filter,
  filterRecovered,
  delta,
  recovery,
  historySize,
}: MemorySwitches): boolean {
  const isWithoutStream = recovery === 'off' || historySize === 0;
  return filter && !delta && (isWithoutStream || (filterRecovered && recovery === 'stream'));
}

/** Whether a run with these switches has a kind of fault. */
export function isOn(switches: Switches, name: string): boolean {
  return switches[name] === true && isFaultOf(switches, name);
}

/** Whether the faults of the class have this name, and a run with these switches can have it. */
export function isFaultOf(switches: Switches, name: string): boolean {
  const isOfRoad = ROAD_FAULTS.some(fault => fault === name);
  return isOfRoad ? switches['roadMs'] !== 0 : FAULTS.some(fault => fault === name);
}
