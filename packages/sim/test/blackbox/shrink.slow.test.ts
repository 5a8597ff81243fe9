import { describe, expect, it } from 'vitest';
import { playInProcess } from '../../src/cli/run-process.ts';
import { shrink } from '../../src/cli/shrink.ts';

const planted = { world: 'memory', guard: false, mutant: 'epoch-ignored' } as const;

describe('a seed that breaks a promise', () => {
  it('is shrunk to the faults that it needs, and breaks it again with these alone', () => {
    const shrunk = shrink(planted, 2);
    expect(shrunk?.oracle).toBe('O5');
    const { plan, run } = shrunk ?? {};
    expect(plan?.steps.length).toBeLessThan(6);
    expect(plan?.steps.map(({ name }) => name)).toContain('restart of the node');
    const [again] = playInProcess({ ...planted, seeds: [2], plan: plan ?? {} });
    expect(again?.hash).toBe(run?.hash);
    const [without] = playInProcess({ ...planted, seeds: [2], plan: { ...plan, steps: [] } });
    expect(without?.violations).toEqual([]);
  }, 600_000);

  it('is not found where no promise is broken', () => {
    expect(shrink({ world: 'memory', guard: false }, 28)).toBeUndefined();
  }, 600_000);
});
