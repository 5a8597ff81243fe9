import type { Outcome } from './siege.ts';

/** A line about one round. */
export function lineOf({
  seed,
  kills,
  letters,
  taken,
  unknown,
  resumed,
  tripped,
  acts,
  faults,
  seconds,
}: Outcome): string {
  const done = Object.entries(acts).map(([name, count]) => `${count} × ${name}`);
  return (
    `seed ${seed}: ${kills} kills, ${resumed} jobs resumed, ${tripped} tripped, ${letters} letters, ${taken} arrived ` +
    `(${unknown} in the hands of a node that died), ${done.join(', ')}, ${faults.length} faults, ${seconds} s`
  );
}
