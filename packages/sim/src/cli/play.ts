// The process of a run, started with `--import` of the platform: plays seeds and prints what they came to as JSON lines.
import { installGuard } from '../platform/guard.ts';
import { writeLine } from './long/lines.ts';
import { playing, playSeed } from './played.ts';
import type { PlayRequest } from './request.ts';

const request = JSON.parse(process.argv[2] ?? '') as PlayRequest; // of run-process.ts
if (request.guard) installGuard();

await playing(async () => {
  for (const [i, seed] of request.seeds.entries()) {
    const file = i === request.seeds.length - 1 ? request.record : undefined;
    writeLine(JSON.stringify(await playSeed(request, seed, file)));
  }
});
