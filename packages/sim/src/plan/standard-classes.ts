import {
  FAIL_OVERS,
  SLOT_MOVE,
  STANDARD_FAULTS,
  STANDARD_VALUES,
  STORE_FAULTS,
} from './standard-switches.ts';
import { type Switch, type Switches, type SwitchValue, switchTable } from './switches.ts';

interface StandardClass {
  /** Values of switches that are others than those of `standard`. */
  readonly values: Partial<Record<keyof typeof STANDARD_VALUES, readonly SwitchValue[]>>;
  /** Faults that the class has besides. */
  readonly faults: readonly string[];
}

/** Classes of runs on the world of `standard`. */
const CLASSES: Readonly<Record<string, StandardClass>> = {
  standard: { values: {}, faults: [] },
  /** Minutes with dense traffic and dense faults, and with everybody who comes back at once. */
  storm: {
    values: {
      stormMs: [60_000, 120_000],
      faultEveryMs: [3000, 2000, 1000],
      nodes: [2, 3, 5],
      clients: [8, 16, 32],
      publishers: [1, 2],
      channels: [1, 2],
      publishing: ['dense'],
      silentPercent: [0, 0, 40],
    },
    faults: ['cut of every client'],
  },
  /** Several masters share the keys. */
  cluster: {
    values: {
      stormMs: [60_000, 120_000],
      nodes: [2, 2, 3, 5],
      store: ['cluster', 'cluster', 'sharded', 'shards'],
    },
    faults: [SLOT_MOVE],
  },
  /** Hours with sparse traffic: what is left alone ends, and what lives long is renewed. */
  quiet: {
    values: {
      hours: [6, 6, 6, 6, 8, 12, 24, 48],
      nights: [true, true, false],
      stormMs: [3_600_000, 7_200_000, 14_400_000],
      faultEveryMs: [1_800_000, 900_000, 300_000],
      nodes: [1, 2, 2, 3],
      clients: [2, 3, 4, 6],
      publishers: [1, 2],
      channels: [1, 2],
      publishing: ['rare'],
      historyTtlMs: [3_600_000, 300_000, 28_800_000, 30_000],
      sessions: [false, true, true],
      signingKeys: [false, true],
    },
    faults: [],
  },
  /** 40 days of few clients, most of them on stores in memory: delays above 2^31 ms, and streams whose names are forgotten. */
  long: {
    values: {
      hours: [960],
      nights: [true, true, false],
      stormMs: [432_000_000, 864_000_000, 1_728_000_000],
      faultEveryMs: [172_800_000, 86_400_000, 43_200_000],
      nodes: [1],
      clients: [2, 2, 3],
      publishers: [1],
      channels: [1, 2],
      publishing: ['daily'],
      historyTtlMs: [2_592_000_000, 86_400_000, 3_600_000],
      store: ['memory', 'memory', 'memory', 'memory', 'standalone'],
      sessions: [false, true, true],
      signingKeys: [false, true],
    },
    faults: [],
  },
};

/** The switches of each of these classes. */
export const STANDARD_CLASSES: ReadonlyMap<string, readonly Switch[]> = new Map(
  Object.entries(CLASSES).map(([name, row]) => [
    name,
    switchTable({ ...STANDARD_VALUES, ...row.values }, faultsOfClass(row)),
  ]),
);

/** Whether the faults of one of these classes have this name, and a run with these switches can have it. */
export function isFaultOfStandard(world: string, switches: Switches, name: string): boolean {
  if (STORE_FAULTS.some(fault => fault === name) && switches['store'] === 'memory') return false;
  if (FAIL_OVERS.some(fault => fault === name) && switches['store'] !== 'sentinel') return false;
  if (name === SLOT_MOVE && !['cluster', 'sharded'].includes(String(switches['store']))) return false;
  const row = CLASSES[world];
  return row !== undefined && faultsOfClass(row).includes(name);
}

function faultsOfClass({ values, faults }: StandardClass): readonly string[] {
  const { store = STANDARD_VALUES.store } = values;
  return [...STANDARD_FAULTS, ...STORE_FAULTS, ...(store.includes('sentinel') ? FAIL_OVERS : []), ...faults];
}
