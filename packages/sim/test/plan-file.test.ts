import { describe, expect, it } from 'vitest';
import { BadUse } from '../src/cli/arguments.ts';
import { CORPUS, corpusOf, requestOf } from '../src/cli/corpus.ts';
import { type PlanFile, planText, readPlan } from '../src/cli/plan-file.ts';
import { MEMORY_SWITCHES } from '../src/plan/memory-switches.ts';

const plan: Omit<PlanFile, 'format'> = {
  class: 'memory',
  seed: 7,
  oracle: 'O5',
  mutant: 'epoch-ignored',
  switches: { roadMs: 20, recovery: 'cache', cut: true },
  clients: [0, 3],
  channels: [1],
  endMs: 61_000,
  steps: [
    { atMs: 1000, name: 'cut', draw: 0 },
    { atMs: 9000, name: 'loss between store and node', draw: 4 },
  ],
};

function refusal(change: object): string {
  try {
    readPlan(JSON.stringify({ ...JSON.parse(planText(plan)), ...change }), 'x.json');
  } catch (error) {
    if (error instanceof BadUse) return error.message;
    throw error;
  }
  return 'taken';
}

describe('the file of a plan', () => {
  it('is read as it was written', () => {
    expect(readPlan(planText(plan), 'x.json')).toEqual({ format: 1, ...plan });
    const without = { ...plan, steps: [] };
    expect(readPlan(planText(without), 'x.json')).toEqual({ format: 1, ...without });
  });

  it.each<[object, string]>([
    [{ format: 2 }, 'x.json has format 2; a version that reads it is needed, this one reads 1'],
    [{ clases: 1 }, 'x.json: clases does not exist; known: '],
    [{ endMs: 'late' }, 'x.json: endMs must be an integer'],
    [{ class: 'memry' }, 'x.json: class "memry" is not known; the nearest is "memory"'],
    [{ switches: { roadms: 5 } }, 'x.json: switch "roadms" is not known; the nearest is "roadMs"'],
    [{ switches: { roadMs: 7 } }, 'x.json: roadMs "7" is not known; the nearest is "0"'],
    [
      { switches: { roadMs: 0 } },
      'x.json: step 1 is "loss between store and node", which is not in its world',
    ],
    [
      { steps: [{ atMs: 1, name: 'flood', draw: 0 }] },
      'x.json: step 0 is "flood", which is not in its world',
    ],
  ])('with %j is refused', (change, text) => {
    expect(refusal(change)).toContain(text);
  });

  it('that is no JSON is refused', () => {
    expect(() => readPlan('{', 'x.json')).toThrow(BadUse);
  });

  it('has switches that are younger than it at their simplest', () => {
    const { plan: played } = requestOf(readPlan(planText(plan), 'x.json'));
    for (const { name, values } of MEMORY_SWITCHES)
      expect(played?.switches?.[name], name).toBe(plan.switches?.[name] ?? values[0]);
  });
});

describe('the corpus', () => {
  it('has plans that can be played', () => {
    const entries = corpusOf(CORPUS);
    expect(entries.length).toBeGreaterThan(0);
    for (const { plan: entry } of entries) expect(entry.clients.length).toBeGreaterThan(0);
  });
});
