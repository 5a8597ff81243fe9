import { FAIL_OVERS, STANDARD_FAULTS, STANDARD_VALUES } from './standard-switches.ts';
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
};

/** The switches of each of these classes. */
export const STANDARD_CLASSES: ReadonlyMap<string, readonly Switch[]> = new Map(
  Object.entries(CLASSES).map(([name, { values, faults }]) => [
    name,
    switchTable({ ...STANDARD_VALUES, ...values }, faultsOfClass(faults)),
  ]),
);

/** Whether the faults of one of these classes have this name, and a run with these switches can have it. */
export function isFaultOfStandard(world: string, switches: Switches, name: string): boolean {
  if (FAIL_OVERS.some(fault => fault === name)) return switches['store'] === 'sentinel';
  return faultsOfClass(CLASSES[world]?.faults ?? []).includes(name);
}

function faultsOfClass(besides: readonly string[]): readonly string[] {
  return [...STANDARD_FAULTS, ...FAIL_OVERS, ...besides];
}
