import { runProcess } from '@msg/command-line';
import { processIo } from './io.ts';
import { MSG } from './program.ts';

/** The binary. `argv` is the process's own. */
export function main(argv: readonly string[]): Promise<void> {
  return runProcess(MSG, argv, processIo());
}
