import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runCases } from './cases/run-cases.ts';
import { FLOODS } from './floods/all.ts';
import type { FloodKind } from './floods/flood.ts';
import { runFlood } from './floods/run-flood.ts';
import { openScene } from './floods/scene.ts';
import { floodLine, siegeLines } from './lines.ts';
import { parsePart } from './part.ts';
import { SeededRandom } from './random.ts';

// npm run hostile -- [--seed n] [--part ci | --part <number>/<shares>] [--only <part of a name>] [--threads n]
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    part: { type: 'string' },
    only: { type: 'string' },
    threads: { type: 'string', default: '1' },
  },
});
const part = parsePart(values.part);
const FIXED_SEED = 21;
const seed = Number(values.seed ?? (part.short ? FIXED_SEED : Date.now() % 2 ** 31));
const startedAt = performance.now();
const only = values.only ?? '';
/** With several the service alone is attacked: the other programs have one. */
const threads = Number(values.threads);
const report = process.env['MSG_TEST_REPORT'];

console.log(`hostile: seed ${seed}, ${part.name}, ${threads} ${threads === 1 ? 'thread' : 'threads'}`);
let passed = 0;
let failed = 0;

if ('cases'.includes(only)) {
  for (const siege of await runCases(seed, part, threads)) {
    for (const line of siegeLines(siege)) console.log(line);
    passed += siege.ran - siege.faults.length;
    failed += siege.faults.length;
  }
}
const chosen = FLOODS.filter(({ name }) => name.includes(only) || only === 'floods');
const floods = part.of(threads > 1 ? chosen.filter(({ against }) => against === 'service') : chosen);
for (const against of new Set(floods.map(kind => kind.against))) {
  for (const group of groups(floods.filter(kind => kind.against === against))) {
    const scene = await openScene(against, threads);
    try {
      for (const kind of group) {
        const flood = await runFlood(kind, scene, new SeededRandom(seed), part.short);
        console.log(floodLine(flood));
        for (const fault of flood.faults) console.log(`  FAILED: ${fault}`);
        if (flood.faults.length === 0) passed++;
        else failed++;
      }
    } finally {
      await scene.target.stop();
    }
  }
}

/** Each flood meets a fresh process; in the part for CI they share one, since starting takes time. */
function groups(kinds: readonly FloodKind[]): readonly (readonly FloodKind[])[] {
  return part.short ? [kinds] : kinds.map(kind => [kind]);
}

const seconds = Math.round((performance.now() - startedAt) / 1000);
console.log(`hostile: ${passed} passed, ${failed} failed, from seed ${seed}, ${seconds} s`);
if (report !== undefined) {
  writeFileSync(report, JSON.stringify({ numPassedTests: passed, numFailedTests: failed }));
}
if (failed > 0) process.exitCode = 1;
