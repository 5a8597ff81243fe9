import { describe, expect, it } from 'vitest';
import { Kernel } from '../src/kernel/kernel.ts';
import { canHappen } from '../src/plan/classes.ts';
import {
  FAIL_OVERS,
  isFaultOfStandard,
  STANDARD_FAULTS,
  STANDARD_SWITCHES,
} from '../src/plan/standard-switches.ts';
import { drawSteps } from '../src/plan/steps.ts';
import { drawSwitches, type Switches } from '../src/plan/switches.ts';

const SEEDS = 10_000;
const ALL = [...STANDARD_FAULTS, ...FAIL_OVERS];

function switchesOf(kernel: Kernel): Switches {
  return drawSwitches(STANDARD_SWITCHES, purpose => kernel.stream(purpose));
}

describe('the swarm of the class standard', () => {
  it('draws every kind of fault at least 500 times in 10,000 seeds', () => {
    const counts = new Map<string, number>();
    for (let seed = 1; seed <= SEEDS; seed++) {
      const kernel = new Kernel({ seed: String(seed) });
      const switches = switchesOf(kernel);
      const kinds = ALL.filter(name => switches[name] === true && isFaultOfStandard(switches, name));
      const weighted = kinds.map(name => ({ name, weight: 1 }));
      const [everyMs, stormMs] = [Number(switches['faultEveryMs']), Number(switches['stormMs'])];
      for (const { name } of drawSteps(purpose => kernel.stream(purpose), weighted, everyMs, stormMs))
        counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    for (const name of ALL) expect(counts.get(name) ?? 0, name).toBeGreaterThanOrEqual(500);
  }, 120_000);

  it('draws every value of every switch', () => {
    const drawn = new Set<string>();
    for (let seed = 1; seed <= 500; seed++)
      for (const [name, value] of Object.entries(switchesOf(new Kernel({ seed: String(seed) }))))
        drawn.add(`${name} ${value}`);
    for (const { name, values } of STANDARD_SWITCHES)
      for (const value of values) expect(drawn).toContain(`${name} ${value}`);
  });

  it('takes only its own faults in a plan', () => {
    expect(canHappen('standard', {}, 'kill of the store')).toBe(true);
    expect(canHappen('standard', {}, 'restart of the node')).toBe(false);
    expect(canHappen('standard', { store: 'standalone' }, 'two masters')).toBe(false);
    expect(canHappen('standard', { store: 'sentinel' }, 'two masters')).toBe(true);
    expect(canHappen('memory', { roadMs: 0 }, 'late messages of the store')).toBe(false);
  });
});
