import { processIo, runProcess } from '@msg/command-line';
import { openDocumentEngine } from '../reads/document-engine.ts';
import { DASHDOC } from './program.ts';

/** The binary. `argv` is the process's own. */
export function main(argv: readonly string[]): Promise<void> {
  return runProcess(DASHDOC, argv, {
    ...processIo(),
    openEngine: directory => openDocumentEngine(directory),
  });
}
