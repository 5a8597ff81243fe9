// Started as the process of a run: plays seeds of several classes and prints how many of their kernels are still held.
import { playing, playSeed } from '../../src/cli/played.ts';
import { Kernel } from '../../src/kernel/kernel.ts';

const SMALL = { stormMs: 10_000, clients: 2, channels: 1 };

await playing(async () => {
  for (const world of ['memory', 'standard', 'outbox'])
    for (const seed of [1, 2]) await playSeed({ world, plan: { switches: SMALL } }, seed);
  // As Node.js has it, past what the platform of a run gives to imports.
  const { queryObjects } = process.getBuiltinModule('node:v8');
  process.stdout.write(`${queryObjects(Kernel, { format: 'count' })}\n`);
});
