import { describe, expect, it } from 'vitest';
import { playInProcess } from '../../src/cli/run-process.ts';
import { expectFelt, sumOf } from '../felt.ts';

const BETWEEN = [
  'cut between a node and the store',
  'kill of the store',
  'pause of the store',
  'silence between a node and the store',
  'messages of the store lost',
];
/** Slots move, and after every second move something else happens. */
const STEPS = Array.from({ length: 18 }, (_, i) => ({
  atMs: 3000 * (i + 1),
  name: i % 3 === 2 ? (BETWEEN[Math.floor(i / 3) % BETWEEN.length] ?? '') : 'slot migration',
  draw: i,
}));

describe('a cluster', () => {
  it.each(['cluster', 'sharded'])(
    'with %s PUB/SUB breaks no promise while slots move',
    { timeout: 240_000 },
    store => {
      const switches = { store, stormMs: 60_000, clients: 8, publishers: 2, recovery: 'stream' };
      const runs = playInProcess({
        world: 'cluster',
        seeds: [1, 4],
        guard: true,
        plan: { switches, steps: STEPS },
      });
      expectFelt(runs, ['deliveries', 'recovered', 'starts', 'slots moved']);
      expect(sumOf(runs, 'slots moved')).toBeGreaterThan(4);
    },
  );

  it('of two servers that streams are spread over breaks no promise', { timeout: 240_000 }, () => {
    const plan = { switches: { store: 'shards', channels: 4, clients: 8 } };
    expectFelt(playInProcess({ world: 'cluster', seeds: [5], guard: true, plan }), ['deliveries', 'starts']);
  });
});
