// npm run threads:link [-- --records 10000000 --seed n]: the property test of the link, long.
import { parseArgs } from 'node:util';
import { playTwoThreads } from './two-threads.ts';

const { values } = parseArgs({ options: { records: { type: 'string' }, seed: { type: 'string' } } });
const records = Number(values.records ?? 10_000_000) / 2;
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
console.log(`link: ${records} records in each direction, rings of 4 KiB, seed ${seed}`);
const begun = performance.now();
const sizes = { upBytes: 4096, downBytes: 4096, upSpillBytes: 65_536 * 2, downSpillBytes: 65_536 * 2 };
const { main, thread } = await playTwoThreads({ seed, records, sizes, stallEvery: 50_000 });
const seconds = (performance.now() - begun) / 1000;
for (const [name, verdict] of Object.entries({ main, thread })) console.log(name, JSON.stringify(verdict));
console.log(`${Math.round((2 * records) / seconds)} records/s`);
if ([main, thread].some(({ wrong, missedBells }) => wrong !== null || missedBells > 0)) process.exitCode = 1;
process.exit();
