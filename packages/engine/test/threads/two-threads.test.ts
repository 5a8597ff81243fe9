import type { LinkSizes } from '@msg/engine/threads';
import { expect, it } from 'vitest';
import { playTwoThreads } from './two-threads.ts';

const RECORDS = 20_000;
const SPILL = { upSpillBytes: 131_072, downSpillBytes: 131_072 };

it.each<[string, LinkSizes]>([
  ['4 KiB', { upBytes: 4096, downBytes: 4096, ...SPILL }],
  ['the default size', {}],
])('two threads send each other records of random sizes through rings of %s', async (_, sizes) => {
  const seed = Number(process.env['MSG_TEST_SEED'] ?? Date.now() % 2 ** 31);
  const verdicts = await playTwoThreads({ seed, records: RECORDS, sizes, stallEvery: 4000 });
  for (const verdict of Object.values(verdicts))
    expect(verdict, `seed ${seed}`).toMatchObject({ received: RECORDS, wrong: null, missedBells: 0 });
});
