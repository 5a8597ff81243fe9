import { processIo, runProcess } from '@msg/command-line';
import { MSG_GEN } from './program.ts';

/** The binary. `argv` is the process's own. */
export function main(argv: readonly string[]): Promise<void> {
  return runProcess(MSG_GEN, argv, processIo());
}
