import { describe, expect, it } from 'vitest';
import { Kernel } from '../src/kernel/kernel.ts';
import { isOn, MEMORY_SWITCHES, memorySwitches } from '../src/plan/memory-switches.ts';
import { drawSteps } from '../src/plan/steps.ts';
import { drawSwitches, type Switches } from '../src/plan/switches.ts';
import { faultsOf } from '../src/world/memory/faults.ts';
import { CLEAR_ROAD } from '../src/world/memory/remote-broker.ts';
import { roadFaults } from '../src/world/memory/road-faults.ts';

const SEEDS = 10_000;

function switchesOf(seed: number): Switches {
  const kernel = new Kernel({ seed: String(seed) });
  return drawSwitches(MEMORY_SWITCHES, purpose => kernel.stream(purpose));
}

/** Every kind of fault of the class. */
function faults() {
  const kernel = new Kernel({ seed: '1' });
  const targets = { clients: [], node: () => kernel.actor('node'), restartNode: () => {} };
  const ofRoad = roadFaults(
    kernel,
    { ...CLEAR_ROAD },
    () => CLEAR_ROAD,
    () => {},
  );
  return [...faultsOf(kernel, targets), ...ofRoad];
}

describe('the swarm of the class memory', () => {
  it('has a switch for every kind of fault', () => {
    const names = MEMORY_SWITCHES.map(({ name }) => name);
    for (const { name } of faults()) expect(names).toContain(name);
  });

  it('brings every pair of switches together at least 20 times in 10,000 seeds', () => {
    const counts = new Map<string, number>();
    for (let seed = 1; seed <= SEEDS; seed++) {
      const values = Object.entries(switchesOf(seed)).map(([name, value]) => `${name}=${value}`);
      for (const [i, first] of values.entries())
        for (const second of values.slice(i + 1)) {
          const pair = `${first} ${second}`;
          counts.set(pair, (counts.get(pair) ?? 0) + 1);
        }
    }
    for (const [i, first] of MEMORY_SWITCHES.entries())
      for (const second of MEMORY_SWITCHES.slice(i + 1))
        for (const one of first.values)
          for (const other of second.values) {
            const pair = `${first.name}=${one} ${second.name}=${other}`;
            if ((counts.get(pair) ?? 0) < 20) expect.fail(`${pair}: ${counts.get(pair) ?? 0} times`);
          }
  }, 120_000);

  it('draws every kind of fault at least 500 times in 10,000 seeds', () => {
    const all = faults();
    const counts = new Map<string, number>();
    for (let seed = 1; seed <= SEEDS; seed++) {
      const kernel = new Kernel({ seed: String(seed) });
      const switches = memorySwitches(switchesOf(seed));
      const kinds = all.filter(({ name }) => isOn(switches, name));
      const { faultEveryMs, stormMs } = switches;
      for (const { name } of drawSteps(purpose => kernel.stream(purpose), kinds, faultEveryMs, stormMs))
        counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    for (const { name } of all) expect(counts.get(name) ?? 0, name).toBeGreaterThanOrEqual(500);
  }, 120_000);

  it('leaves the other switches alone when one is given', () => {
    const kernel = new Kernel({ seed: '7' });
    const drawn = switchesOf(7);
    const fixed = drawSwitches(MEMORY_SWITCHES, purpose => kernel.stream(purpose), { clients: 2, cut: true });
    expect(fixed).toEqual({ ...drawn, clients: 2, cut: true });
  });
});
