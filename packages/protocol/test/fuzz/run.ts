// Fuzzes for as long as asked, with a new seed per minute:
//   node --conditions=msg-source packages/protocol/test/fuzz/run.ts [minutes = 10] [seed]
import { fuzz } from './fuzz.ts';

const minutes = Number(process.argv[2] ?? 10);
const first = Number(process.argv[3] ?? Date.now() % 2 ** 31);
let total = 0;
for (let minute = 0; minute < minutes; minute++) {
  const seed = first + minute;
  const report = fuzz({ seed, inputs: Number.POSITIVE_INFINITY, forMs: 60_000 });
  total += report.inputs;
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  console.log(
    `seed ${seed}: ${report.inputs} inputs, ${((heapUsed + arrayBuffers) / 2 ** 20).toFixed(0)} MiB in use`,
  );
}
console.log(`${total} inputs without a failure`);
