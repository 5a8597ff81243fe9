import { expect, it } from 'vitest';
import { checkRandomPatches } from './random-patches.ts';

const SEED = Number(process.env['MODEL_SEED'] ?? Date.now() % 2 ** 31);

it(`100 000 random documents come out of our patches in fossil-delta and in the stock clients; seed ${SEED}`, () => {
  expect(checkRandomPatches(SEED, 100_000)).toBeGreaterThan(50_000);
}, 300_000);
