import { describe, expect, it } from 'vitest';
import { Kernel } from '../src/kernel/kernel.ts';
import { canHappen } from '../src/plan/classes.ts';
import { isFaultOfStandard, STANDARD_CLASSES } from '../src/plan/standard-classes.ts';
import { drawSteps } from '../src/plan/steps.ts';
import { drawSwitches, type Switch, type Switches } from '../src/plan/switches.ts';

const SEEDS = 10_000;

function switchesOf(kernel: Kernel, table: readonly Switch[]): Switches {
  return drawSwitches(table, purpose => kernel.stream(purpose));
}

/** Every kind of fault of a class. */
function faultsOf(world: string, table: readonly Switch[]): readonly string[] {
  const stores = table.find(({ name }) => name === 'store')?.values ?? [];
  return table
    .map(({ name }) => name)
    .filter(name => stores.some(store => isFaultOfStandard(world, { store }, name)));
}

describe.each([...STANDARD_CLASSES])('the swarm of the class %s', (world, table) => {
  it('draws every kind of fault at least 500 times in 10,000 seeds', () => {
    const all = faultsOf(world, table);
    expect(all.length).toBeGreaterThan(20);
    const counts = new Map<string, number>();
    for (let seed = 1; seed <= SEEDS; seed++) {
      const kernel = new Kernel({ seed: String(seed) });
      const switches = switchesOf(kernel, table);
      const kinds = all.filter(name => switches[name] === true && isFaultOfStandard(world, switches, name));
      const weighted = kinds.map(name => ({ name, weight: 1 }));
      const [everyMs, stormMs] = [Number(switches['faultEveryMs']), Number(switches['stormMs'])];
      for (const { name } of drawSteps(purpose => kernel.stream(purpose), weighted, everyMs, stormMs))
        counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    for (const name of all) expect(counts.get(name) ?? 0, name).toBeGreaterThanOrEqual(500);
  }, 120_000);

  it('draws every value of every switch', () => {
    const drawn = new Set<string>();
    for (let seed = 1; seed <= 500; seed++)
      for (const [name, value] of Object.entries(switchesOf(new Kernel({ seed: String(seed) }), table)))
        drawn.add(`${name} ${value}`);
    for (const { name, values } of table)
      for (const value of values) expect(drawn).toContain(`${name} ${value}`);
  });

  it('takes only its own faults in a plan', () => {
    expect(canHappen(world, {}, 'kill of the store')).toBe(true);
    expect(canHappen(world, {}, 'restart of the node')).toBe(false);
    expect(canHappen(world, { store: 'standalone' }, 'two masters')).toBe(false);
    expect(canHappen(world, { store: 'sentinel' }, 'two masters')).toBe(!['long', 'cluster'].includes(world));
    expect(canHappen(world, { store: 'memory' }, 'kill of the store')).toBe(false);
    expect(canHappen(world, { store: 'memory' }, 'kill of a node')).toBe(true);
    expect(canHappen(world, {}, 'cut of every client')).toBe(world === 'storm');
    expect(canHappen(world, { store: 'sharded' }, 'slot migration')).toBe(world === 'cluster');
    expect(canHappen(world, { store: 'shards' }, 'slot migration')).toBe(false);
    expect(canHappen('memory', { roadMs: 0 }, 'late messages of the store')).toBe(false);
  });
});
