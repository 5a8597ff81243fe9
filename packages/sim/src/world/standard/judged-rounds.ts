import type { WorldKernel } from '../../kernel/world-kernel.ts';
import { judged } from '../../oracles/all.ts';
import { lostTailIsTold } from '../../oracles/e1-lost-tail.ts';
import { liveness } from '../../oracles/o29-liveness.ts';
import type { Observations, Published, Rest, Violation } from '../../oracles/observations.ts';
import type { Round, Rounds } from '../../plan/timetable.ts';

/** So long after the beginning of the last fault it has ended, and the nodes are connected again. */
const SETTLED_MS = 65_000;

/** Oracles that judge where the clients of a run are: at the end of every calm. */
const OF_CALMS = [liveness, lostTailIsTold];

/** What was to be seen at the end of a calm. */
interface Calm {
  readonly round: Round;
  readonly rests: readonly Rest[];
  readonly remembered: ReadonlySet<Published>;
}

/** How a run is looked at. */
export interface Looks {
  rests(): readonly Rest[];
  /** Those lost by a fail-over that a node still knows, which has listened ever since until a moment. */
  remembered(untilUs: number): ReadonlySet<Published>;
}

/** From then on every node hears what it listens to. */
export function hearsFromUs({ calmFromMs }: Round): number {
  return (calmFromMs + SETTLED_MS) * 1000;
}

/** Looks at the end of every calm but the last, at which the run ends. */
export function lookAtCalms(kernel: WorldKernel, { earlier }: Rounds, looks: Looks): readonly Calm[] {
  const calms: Calm[] = [];
  for (const round of earlier) {
    kernel.at(round.endMs, kernel.actor('observer'), 'look', () =>
      calms.push({ round, rests: looks.rests(), remembered: looks.remembered(hearsFromUs(round)) }),
    );
  }
  return calms;
}

/** What the oracles find in a whole run, and those that judge where its clients are at the end of every calm. */
export function judgedRounds(observations: Observations, calms: readonly Calm[]): readonly Violation[] {
  const ofCalms = calms.flatMap(calm => {
    const part = until(observations, calm);
    return OF_CALMS.flatMap(oracle => oracle.judge(part));
  });
  return [...judged(observations), ...ofCalms];
}

/** What had been seen at the end of a calm. */
function until(observations: Observations, { round, rests, remembered }: Calm): Observations {
  const endUs = round.endMs * 1000;
  const before = ({ atUs }: { readonly atUs: number }): boolean => atUs <= endUs;
  const { published, seen, losses = [], wipedAtUs = [], forks = [], renewals = [] } = observations;
  return {
    ...observations,
    published: published.filter(before),
    seen: seen.filter(before),
    losses: losses.filter(before),
    wipedAtUs: wipedAtUs.filter(atUs => atUs <= endUs),
    forks: forks.filter(before),
    renewals: renewals.filter(before),
    hearsFromUs: hearsFromUs(round),
    rests,
    remembered,
    endUs,
  };
}
