import type { Observations } from '../oracles/observations.ts';

/** What happened in a run with stock clients. */
export function countsOf(
  { published, seen }: Observations,
  happened: ReadonlyMap<string, number>,
): Record<string, number> {
  const subscribed = seen.filter(event => event.kind === 'subscribed');
  const faults = [...happened.values()].reduce((sum, count) => sum + count, 0);
  return {
    published: published.length,
    deliveries: seen.length - subscribed.length,
    recovered: subscribed.filter(({ recovered }) => recovered).length,
    unrecovered: subscribed.filter(({ recovered, wasRecovering }) => wasRecovering && !recovered).length,
    faults,
    restarts: happened.get('restart of the node') ?? 0,
  };
}
