// npm run test:nightly [-- --seed <n>] [--only <part of a name>]: every proof in its long form, one after the other.
// The report is .tmp/nightly/<seed>.json; with the seed of an interrupted run the parts that passed are not run again.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { NIGHTLY_PARTS, type NightlyReport, runNightly } from './nightly-parts.ts';

const { values } = parseArgs({ options: { seed: { type: 'string' }, only: { type: 'string' } } });
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const parts = NIGHTLY_PARTS.filter(({ name }) => name.includes(values.only ?? ''));
if (!Number.isSafeInteger(seed) || parts.length === 0) {
  console.error(
    `usage: test:nightly [-- --seed <n>] [--only <part of: ${NIGHTLY_PARTS.map(({ name }) => name).join(', ')}>]`,
  );
  process.exit(2);
}

const folder = '.tmp/nightly';
const file = `${folder}/${seed}.json`;
mkdirSync(folder, { recursive: true });
const before = existsSync(file)
  ? (JSON.parse(readFileSync(file, 'utf8')) as NightlyReport) // written below
  : { seed, parts: [] };

function execute(command: string): Promise<{ passed: boolean; output: string }> {
  console.log(`\n=== ${command}`);
  return new Promise(resolve => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        process.stdout.write(text);
        output = (output + text).slice(-64 * 1024);
      });
    child.once('close', code => resolve({ passed: code === 0, output }));
  });
}

console.log(`nightly: seed ${seed}, ${parts.length} parts, report in ${file}`);
const report = await runNightly({
  parts,
  before,
  execute,
  now: () => performance.now() / 1000,
  save: state => writeFileSync(file, `${JSON.stringify(state, null, 2)}\n`),
});
for (const { name, passed, seconds } of report.parts)
  console.log(`${passed ? 'passed' : 'FAILED'} ${name}, ${seconds} s`);
if (report.parts.some(({ passed }) => !passed)) process.exitCode = 1;
