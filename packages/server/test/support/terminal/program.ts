// Runs the command lines of a JSON file in this process, one after the other, on the process's own streams.
import { readFileSync } from 'node:fs';
import { runProgram } from '@msg/command-line';
import { processIo } from '#src/cli/io.ts';
import { MSG } from '#src/cli/program.ts';
import { END } from './session.ts';

const lines = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as string[][]; // what session.ts wrote
for (const line of lines) {
  const code = await runProgram(MSG, line, processIo());
  process.stdout.write(`${END}${code}\n`);
}
