import type { StandardSwitches } from '../../plan/standard-switches.ts';

type Pauses = readonly number[];

/** How long what lives and is used beside the publications of a run waits, milliseconds unless the name says otherwise. */
export interface Paces {
  /** Between two refreshes of a session. */
  readonly refreshes: Pauses;
  /** Between two changes of the signing keys. */
  readonly keys: Pauses;
  /** Between two touches of a channel. */
  readonly touches: Pauses;
  /** Between the last touch of a channel and its next use. */
  readonly idle: Pauses;
  /** Without activity for so long a channel closes. */
  readonly ttlSeconds: Pauses;
  /** Of 100 uses of a channel so many end with its deletion. */
  readonly deletedPercent: number;
  /** Signing keys are promoted and retired, too. */
  readonly rotates: boolean;
  /** Between two calls under a rate limit. */
  readonly limited: Pauses;
  /** How long a session can be refreshed; 0: a day. */
  readonly sessionSeconds: number;
  /** Between two changes of what a client subscribes to. */
  readonly churn: readonly [least: number, most: number];
}

const MINUTES: Paces = {
  refreshes: [20, 500, 5000],
  keys: [3000, 10_000, 30_000],
  touches: [1000, 3000, 6000],
  idle: [5000, 60_000, 90_000],
  ttlSeconds: [10, 20, 40],
  deletedPercent: 0,
  rotates: false,
  sessionSeconds: 0,
  limited: [1, 100, 900, 3000],
  churn: [500, 20_000],
};

/** A session lives for hours, and nothing is used in a night. */
const HOURS: Paces = {
  refreshes: [500, 60_000, 600_000, 3_500_000],
  keys: [600_000, 1_800_000, 7_200_000],
  touches: [1000, 60_000, 1_500_000],
  idle: [60_000, 3_600_000, 10_000_000],
  ttlSeconds: [10, 300, 1800, 7200],
  deletedPercent: 30,
  rotates: true,
  sessionSeconds: 0,
  limited: [1, 900, 20_000, 900_000],
  churn: [60_000, 3_600_000],
};

/** Of a run that lasts weeks; channels and sessions end after more than 2^31 ms, too. */
const DAYS: Paces = {
  refreshes: [60_000, 43_200_000, 86_400_000],
  keys: [86_400_000, 432_000_000],
  touches: [60_000, 86_400_000],
  idle: [86_400_000, 864_000_000],
  ttlSeconds: [3600, 604_800, 2_592_000],
  deletedPercent: 30,
  rotates: true,
  sessionSeconds: 2_592_000,
  limited: [1, 900, 86_400_000],
  churn: [3_600_000, 259_200_000],
};

const WEEK_HOURS = 168;

/** The paces of a run that lasts minutes, hours or weeks. */
export function pacesOf({ hours }: Pick<StandardSwitches, 'hours'>): Paces {
  if (hours === 0) return MINUTES;
  return hours > WEEK_HOURS ? DAYS : HOURS;
}
