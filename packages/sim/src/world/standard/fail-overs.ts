import type { Stream } from '../../kernel/stream.ts';
import type { FailOver, OldMaster } from '../../redis/replication/replicated-set.ts';
import type { Fault } from '../faults.ts';
import type { Store } from './store.ts';

const SENTINELS = 3;

/** Faults of a store with replicas. */
export function failOvers(store: Store): readonly Fault[] {
  return [
    {
      name: 'fail-over',
      weight: 2,
      happen: draw => store.failOver(drawn(draw, draw.pick(['dead', 'frozen', 'demoted'] as const))),
    },
    {
      name: 'fail-over that loses a tail',
      weight: 3,
      happen: draw => {
        const change = drawn(draw, draw.pick(['dead', 'frozen', 'demoted'] as const));
        store.failOver({ ...change, heldMs: draw.between(50, 8000) });
      },
    },
    { name: 'two masters', weight: 2, happen: draw => store.failOver(drawn(draw, 'cut off')) },
    {
      name: 'fail-over to an empty replica',
      weight: 1,
      happen: draw => store.failOver({ ...drawn(draw, 'dead'), isEmpty: true }),
    },
  ];
}

function drawn(draw: Stream, old: OldMaster): FailOver {
  return {
    heldMs: 0,
    old,
    detectedMs: draw.between(100, 8000),
    announcedMs: Array.from({ length: SENTINELS }, () => draw.pick([0, draw.between(0, 8000)])),
    backMs: draw.between(100, 15_000),
    staleMs: draw.pick([0, draw.between(0, 3000)]),
    isEmpty: false,
    keepsConnections: draw.chance(30),
  };
}
