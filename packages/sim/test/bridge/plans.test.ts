import { describe, expect, it } from 'vitest';
import { realFaults, WITHOUT_COUNTERPART } from '../../src/bridge/faults.ts';
import { bridgePlans, PLANS } from '../../src/bridge/plans.ts';
import { RealKernel } from '../../src/bridge/real-kernel.ts';
import { CORPUS, corpusOf } from '../../src/cli/corpus.ts';
import { STANDARD_CLASSES } from '../../src/plan/standard-classes.ts';
import { FAIL_OVERS, SLOT_MOVE, STANDARD_FAULTS, STORE_FAULTS } from '../../src/plan/standard-switches.ts';

const SEEDS = 100;

describe('plans of the bridge', () => {
  it('are those of the corpus that have a Redis, and drawn ones on every store', () => {
    const plans = bridgePlans(1, 60);
    expect(plans).toHaveLength(PLANS);
    const known = corpusOf(CORPUS).filter(({ plan }) => STANDARD_CLASSES.has(plan.class));
    const names = plans.map(({ name }) => name);
    expect(names.slice(0, known.length)).toEqual(known.map(({ name }) => name));
    expect(names.slice(known.length, known.length + 2)).toEqual(['storm 1', 'storm 2']);
    const drawn = Object.groupBy(plans.slice(known.length), ({ store }) => store);
    for (const same of Object.values(drawn)) expect(same?.length).toBeGreaterThan(5);
    expect(Object.keys(drawn)).toHaveLength(3);
  });

  it('have no step after the time that they are cut to', () => {
    for (const { steps, stormMs, quietFromMs } of bridgePlans(1, 20)) {
      expect(quietFromMs).toBe(20_000);
      for (const { atMs } of steps) expect(atMs).toBeLessThanOrEqual(stormMs);
    }
  });

  it('play at least four of five steps', () => {
    const steps = Array.from({ length: SEEDS }, (_, i) => bridgePlans(1 + 25 * i, 60)).flat();
    const names = steps.flatMap(plan => plan.steps.map(({ name }) => name));
    const skipped = names.filter(name => WITHOUT_COUNTERPART[name] !== undefined);
    expect(skipped.length).toBeGreaterThan(0);
    expect(skipped.length / names.length).toBeLessThan(0.2);
  });

  it('play every fault of the class, or say why it cannot be real', () => {
    const kernel = new RealKernel('1', () => '');
    const targets = { clients: [], publishers: [], nodes: [] } as unknown as Parameters<typeof realFaults>[1];
    const names = realFaults(kernel, targets).map(({ name }) => name);
    const all = [...STANDARD_FAULTS, ...STORE_FAULTS, ...FAIL_OVERS, SLOT_MOVE, 'cut of every client'];
    expect([...names, ...Object.keys(WITHOUT_COUNTERPART)].toSorted()).toEqual(all.toSorted());
  });
});
