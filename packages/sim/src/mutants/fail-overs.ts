import type { Mutant } from './mutant.ts';

/** Bugs of what nodes do about a fail-over of the store. */
export const FAIL_OVER_MUTANTS: readonly Mutant[] = [
  {
    name: 'rewound-stream-keeps-its-epoch',
    means: 'a stream that a fail-over rewound keeps its epoch',
    world: 'standard',
    file: 'packages/engine/src/broker/redis/rewound-streams.ts',
    text: 'if (!(await this.#isRewound(channel, newest))) return;',
    replacement: 'return;',
    oracles: ['E1', 'O39'],
  },
];
