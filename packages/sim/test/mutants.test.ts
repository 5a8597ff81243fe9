import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MUTANTS } from '../src/mutants/mutants.ts';
import { REDIS_MUTANTS } from '../src/mutants/redis.ts';
import { ORACLES } from '../src/oracles/all.ts';

function expectOnce(file: string, text: string): void {
  const source = readFileSync(join(import.meta.dirname, '../../..', file), 'utf8');
  expect(source.split(text)).toHaveLength(2);
}

describe('a planted bug', () => {
  it.each(MUTANTS.map(mutant => [mutant.name, mutant] as const))('is not stale: %s', (_, mutant) => {
    const { file, text, replacement, oracles } = mutant;
    expectOnce(file, text);
    expect(replacement).not.toBe(text);
    // O39: an error that no code catches.
    const known = [...ORACLES.map(({ id }) => id), 'O39'];
    for (const oracle of oracles) expect(known).toContain(oracle);
  });

  it.each(REDIS_MUTANTS)('of the simulated Redis is not stale: $name', ({ file, text, replacement }) => {
    expectOnce(file, text);
    expect(replacement).not.toBe(text);
  });
});
