// The process of a run, started with `--import` of the platform: plays seeds and prints what they came to as JSON lines.
import { installGuard } from '../platform/guard.ts';
import { writeLine } from './long/lines.ts';
import { playing, playSeed } from './played.ts';
import type { PlayedRun, PlayRequest } from './request.ts';

const MIB = 2 ** 20;

const request = JSON.parse(process.argv[2] ?? '') as PlayRequest; // of run-process.ts
if (request.guard) installGuard();

await playing(async () => {
  for (const [i, seed] of request.seeds.entries()) {
    const file = i === request.seeds.length - 1 ? request.record : undefined;
    const run = await playSeed(request, seed, file);
    writeLine(JSON.stringify({ ...run, ...memoryNow() }));
  }
});

/** What is left after a collection, if the process may ask for one. */
function memoryNow(): Pick<PlayedRun, 'heapMiB' | 'rssMiB'> {
  if (globalThis.gc === undefined) return {};
  globalThis.gc();
  const { heapUsed, rss } = process.memoryUsage();
  return { heapMiB: heapUsed / MIB, rssMiB: rss / MIB };
}
