/** One storm with the calm that follows it, virtual milliseconds. */
export interface Round {
  readonly fromMs: number;
  /** Faults happen until then. */
  readonly calmFromMs: number;
  /** Publishing ends then, so that everything has arrived at the end. */
  readonly quietFromMs: number;
  readonly endMs: number;
}

/** The rounds of a run, of which it has at least one. */
export interface Rounds {
  readonly earlier: readonly Round[];
  /** The run ends with it. */
  readonly last: Round;
  readonly all: readonly Round[];
}

/** Lengths of the parts of a run. */
export interface Lengths {
  /** Of a storm, if the hours are not given. */
  readonly stormMs: number;
  readonly calmMs: number;
  /** What of a calm is without publications, at its end. */
  readonly quietMs: number;
  /** Of the whole run; undefined: of one round. */
  readonly hours: number | undefined;
}

const HOUR_MS = 3_600_000;
/** The shortest storm: hours that are fewer than a calm and this take longer. */
const LEAST_STORM_MS = 10_000;

/** The rounds of a run: as many as come nearest to its hours, of equal length. */
export function roundsOf({ stormMs, calmMs, quietMs, hours }: Lengths): Rounds {
  const wholeMs = hours === undefined ? stormMs + calmMs : Math.max(hours * HOUR_MS, LEAST_STORM_MS + calmMs);
  const count = Math.max(1, Math.round(wholeMs / (stormMs + calmMs)));
  const lengthMs = Math.floor(wholeMs / count);
  const round = (i: number): Round => {
    const endMs = (i + 1) * lengthMs;
    return { fromMs: i * lengthMs, calmFromMs: endMs - calmMs, quietFromMs: endMs - quietMs, endMs };
  };
  const earlier = Array.from({ length: count - 1 }, (_, i) => round(i));
  const last = round(count - 1);
  return { earlier, last, all: [...earlier, last] };
}

/** Whether a moment is in the storm of a round. */
export function isInStorm({ all, last }: Rounds, ms: number): boolean {
  return ms <= (all.find(({ endMs }) => ms < endMs) ?? last).calmFromMs;
}
