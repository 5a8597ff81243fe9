import { buffer } from 'node:stream/consumers';
import { openEngine } from './engine.ts';
import { run } from './program.ts';
import type { Surroundings } from './surroundings.ts';

/** Entry of the command line: runs it in this process and leaves the exit status behind. */
export async function main(argv: readonly string[]): Promise<void> {
  // Whoever read the output has seen enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  const surroundings: Surroundings = {
    version: process.env['DASHDOC_VERSION'] ?? 'dev',
    stdin: () => buffer(process.stdin),
    stdout: text => void process.stdout.write(text),
    stderr: text => void process.stderr.write(text),
    openEngine,
  };
  process.exitCode = await run(argv.slice(2), surroundings);
}
