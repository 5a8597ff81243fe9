import type { Plan } from '../plan/plan.ts';
import { playInProcess } from './run-process.ts';

/** Ways of a fresh process that must not change a run. */
const WAYS: readonly (readonly string[])[] = [['--no-opt'], ['--jitless'], ['--max-semi-space-size=1']];

/**
 * Plays each seed twice in one process, after other seeds, and once in each fresh process; says which hashes differ. The
 * first process strips types for the others, which may be unable to.
 */
export function determinismFaults(world: string, seeds: readonly number[], plan: Plan = {}): string[] {
  const twice = playInProcess({ world, seeds: [...seeds, ...seeds], guard: true, plan });
  const first = new Map(twice.slice(0, seeds.length).map(({ seed, hash }) => [seed, hash]));
  const faults: string[] = [];
  const compare = (how: string, seed: number, hash: string, fault: string | undefined): void => {
    if (fault !== undefined) faults.push(`seed ${seed} ${how}: ${fault}`);
    else if (hash !== first.get(seed))
      faults.push(`seed ${seed} ${how}: ${hash} instead of ${first.get(seed)}`);
  };
  for (const { seed, hash, fault } of twice) compare('again in one process', seed, hash, fault);
  for (const options of WAYS) {
    for (const { seed, hash, fault } of playInProcess({ world, seeds, guard: true, plan }, options))
      compare(`with ${options.join(' ')}`, seed, hash, fault);
  }
  return faults;
}
