// node --import ./plant-bug.ts <this file> <request>: replays traces of the model, or records runs of the code.
import { readFileSync } from 'node:fs';
import type { FormalRequest } from './processes.ts';
import { record } from './record.ts';
import { replay } from './replay.ts';
import type { Trace } from './trace.ts';

const request = JSON.parse(process.argv[2] ?? '{}') as FormalRequest; // of processes.ts
if (request.kind === 'record') {
  for (let i = 0; i < request.count; i++)
    console.log(JSON.stringify(await record(`${request.seed} ${i}`, request.steps)));
} else {
  const traces = JSON.parse(readFileSync(request.file, 'utf8')) as Trace[]; // of processes.ts
  for (const [i, trace] of traces.entries()) {
    const difference = await replay(trace);
    if (difference === null) continue;
    console.log(JSON.stringify({ trace: i, ...difference }));
    break;
  }
}
