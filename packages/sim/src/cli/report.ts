import { shownSwitches } from '../plan/classes.ts';
import { EXIT, type Print } from './exit.ts';
import type { PlayedRun } from './request.ts';

/** Prints what seeds came to; returns the exit code. */
export function report(world: string, runs: readonly PlayedRun[], print: Print): number {
  for (const run of runs) {
    const { seed, hash, events, virtualMs, cpuMs, counts, violations, fault, plan } = run;
    const counted = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
    const speed = Math.round(events / (cpuMs / 1000));
    print(
      `seed ${seed}: ${hash}, ${events} events, ${(virtualMs / 1000).toFixed(0)} s in ${cpuMs.toFixed(0)} ms ` +
        `(${speed} events/s), ${counted.join(', ')}`,
    );
    if (plan.switches !== undefined) print(`  ${shownSwitches(world, plan.switches)}`);
    for (const { oracle, atUs, text } of violations) print(`  ${oracle} at ${atUs / 1000} ms: ${text}`);
    if (fault !== undefined) print(`  the simulator is at fault: ${fault}`);
    if (violations.length > 0) print(`  again: npm run sim -- --class ${world} --seed ${seed}`);
  }
  return exitOf(runs);
}

function exitOf(runs: readonly PlayedRun[]): number {
  if (runs.some(({ fault }) => fault !== undefined)) return EXIT.simulator;
  return runs.some(({ violations }) => violations.length > 0) ? EXIT.violation : EXIT.clean;
}
