import { expect, it } from 'vitest';
import { besiege } from './siege.ts';

const SEED = Number(process.env['DASH_SEED'] ?? 1214);

it.each([
  { kind: 'fs', writers: 20, kills: 20 },
  { kind: 'git', writers: 20, kills: 12 },
] as const)('$writers writers of the $kind store survive $kills kills', { timeout: 240_000 }, async plan => {
  const { faults, ...counts } = await besiege({ ...plan, seed: SEED });
  console.log(`seed ${SEED}: ${JSON.stringify(counts)}`);
  expect(faults).toEqual([]);
  expect(counts.kills).toBeGreaterThanOrEqual(plan.kills);
  expect(counts.acknowledged).toBeGreaterThan(plan.kills);
});
