import { defineProgram, type Failure, UsageError } from '@msg/command-line';
import { DashError } from '../errors.ts';
import { documentCommands } from './document-commands.ts';
import { engineCommands } from './engine-commands.ts';
import { exportCommands } from './export-command.ts';
import { importCommands } from './import-command.ts';
import type { DashIo } from './io.ts';
import { mcpCommands } from './mcp-command.ts';
import { readCommands } from './read-commands.ts';
import { renderCommands } from './render-command.ts';
import { restoreCommands } from './restore-commands.ts';
import { serveCommands } from './serve-command.ts';
import { VERSION } from './version.ts';

/** `error: CODE: message`, or the envelope; exit code 1 for a coded failure, 2 for a usage error (dashboard details 16). */
function failure(error: unknown, json: boolean): Failure {
  const coded = codedError(error);
  return {
    text: json ? JSON.stringify(coded.toEnvelope()) : `error: ${coded.code}: ${coded.message}`,
    exitCode: coded.code === 'CLI_INVALID' ? 2 : 1,
  };
}

function codedError(error: unknown): DashError {
  if (error instanceof DashError) return error;
  if (error instanceof UsageError) {
    const { flag, message: reason } = error;
    const message = reason.endsWith('?') ? reason : `${reason}.`;
    return new DashError('CLI_INVALID', message, { argument: flag, reason });
  }
  return new DashError('STORAGE_INTERNAL', 'The program is in an unexpected state; try again.', {}, error);
}

/** The program `dashdoc` (dashboard details 16). */
export const DASHDOC = defineProgram<DashIo>({
  name: 'dashdoc',
  summary: 'Dashboard documents: list, read, check and change them.',
  version: `version ${VERSION}`,
  commands: [
    ...documentCommands,
    ...restoreCommands,
    ...importCommands,
    ...readCommands,
    ...mcpCommands,
    ...engineCommands,
    ...serveCommands,
    ...exportCommands,
    ...renderCommands,
  ],
  groups: { import: 'make documents of dashboards of other programs' },
  failure,
});
