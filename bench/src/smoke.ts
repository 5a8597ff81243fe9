// npm run bench:smoke: small sizes of the benches that have a bar, held to it with a margin; about two minutes.
import { spawn } from 'node:child_process';
import { allowedBy, type Bar, barsOf, holds, MARGIN } from './bars.ts';

/** The benches with their small sizes, and the number of bars that each prints. */
const RUNS: readonly { readonly args: readonly string[]; readonly bars: number }[] = [
  { args: 'fanout --scenario unbatched --scenario ten-per-tick --slice 400'.split(' '), bars: 2 },
  { args: 'connect --connections 2000'.split(' '), bars: 1 },
  { args: 'rpc --pairs 5 --slice 1200'.split(' '), bars: 1 },
  {
    // On a machine of any size: what the clock says of several cores has no bar here.
    args: 'cores --only deliveries --threads 2 --server-cpus 0-1 --load-cpus 1 --slice 600'.split(' '),
    bars: 4,
  },
  // A tenth of its size: it fails beyond a bound.
  {
    args: 'console-scale --channels 10000 --connections 5000 --users 1000 --seconds 20 --nodes 1'.split(' '),
    bars: 0,
  },
];

async function outputOf(args: readonly string[]): Promise<string> {
  const main = new URL('./main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [...process.execArgv, main, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    process.stdout.write(text);
  });
  const code = await new Promise(resolve => child.once('close', resolve));
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}`);
  return output;
}

const bars: Bar[] = [];
for (const run of RUNS) {
  const printed = barsOf(await outputOf(run.args));
  if (printed.length !== run.bars)
    throw new Error(`${run.args[0]} printed ${printed.length} of ${run.bars} bars`);
  bars.push(...printed);
}
const missed = bars.filter(bar => !holds(bar));
for (const bar of missed) console.error(`beyond ${bar.bound} ${allowedBy(bar).toFixed(2)}: ${bar.line}`);
console.log(`${bars.length - missed.length} of ${bars.length} bars hold, with a margin of ${MARGIN * 100} %`);
if (missed.length > 0) process.exitCode = 1;
