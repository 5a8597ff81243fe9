import { Command, CommanderError } from 'commander';
import { DashError } from '#src/errors.ts';
import { commandFirst, usageError } from './arguments.ts';
import { addDocumentCommands } from './document-commands.ts';
import { addEngineCommands, ReportedFaults } from './engine-commands.ts';
import { addMcpCommand } from './mcp-command.ts';
import { addReadCommands } from './read-commands.ts';
import { addServeCommand } from './serve-command.ts';
import type { Surroundings } from './surroundings.ts';

const VALUE_FLAGS: ReadonlySet<string> = new Set([
  ...['--store', '--root', '--schemas', '--set', '--changeset', '--expect-revision', '--message'],
  ...['--at', '--from', '--to', '--template', '--title', '--host', '--port'],
  '--allow-host',
]);

/**
 * Runs one command line (dashboard details 16).
 *
 * @param words Arguments after the program's name.
 * @returns The exit status: 0, 1 for a coded failure, 2 for a usage error.
 */
export async function run(words: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    await programFor(surroundings).parseAsync(commandFirst(words, VALUE_FLAGS), { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof ReportedFaults) return 1;
    const coded = codedError(error);
    const text = words.includes('--json')
      ? JSON.stringify(coded.toEnvelope())
      : `error: ${coded.code}: ${coded.message}`;
    surroundings.stderr(`${text}\n`);
    return coded.code === 'CLI_INVALID' ? 2 : 1;
  }
}

function programFor(surroundings: Surroundings): Command {
  const program = new Command('dashdoc')
    .description('Dashboard documents: list, read, check and change them.')
    .version(`version ${surroundings.version}`, '--version')
    .exitOverride()
    .configureOutput({
      writeOut: text => surroundings.stdout(text),
      // A usage error is reported once, as a coded error.
      writeErr: () => undefined,
    });
  addDocumentCommands(program, surroundings);
  addReadCommands(program, surroundings);
  addMcpCommand(program, surroundings);
  addEngineCommands(program, surroundings);
  addServeCommand(program, surroundings);
  return program;
}

function codedError(error: unknown): DashError {
  if (error instanceof DashError) return error;
  if (error instanceof CommanderError)
    return usageError(error.message.replace(/^error: /, '').split('\n')[0] ?? '');
  const internal = new DashError('STORAGE_INTERNAL', 'An unexpected failure.', {});
  internal.cause = error;
  return internal;
}
