import { MsgError, toMsgError } from '@msg/core';
import { CommanderError } from 'commander';
import { type CliIo, processIo } from './io.ts';
import { buildProgram } from './program.ts';

/** The manifest of a fresh default instance; no server is contacted. */
async function printManifest(io: CliIo): Promise<void> {
  const { Msg } = await import('../msg.ts');
  const msg = await Msg.create();
  io.out(`${JSON.stringify(msg.manifest(), null, 2)}\n`);
}

function reportUsage(io: CliIo, error: CommanderError): void {
  const text = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
  io.err(`error: MSG_INVALID_ARGUMENT: ${text}\n`);
}

/**
 * Runs one command line and answers its exit code: 0, or 1 with `error: <MSG code>: <text>` on stderr and nothing on
 * stdout (messaging details 16.1). `args` are the arguments after the program's name.
 */
export async function runCommand(args: readonly string[], io: CliIo): Promise<number> {
  const program = buildProgram(io);
  try {
    const isBareJson = args.length > 0 && args.every(argument => argument === '--json');
    if (isBareJson) await printManifest(io);
    else if (args.length === 0)
      throw new CommanderError(1, 'msg.noCommand', 'no command given, see msg --help');
    else await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      reportUsage(io, error.message === '(outputHelp)' ? missingCommand() : error);
      return 1;
    }
    io.err(`error: ${describe(error)}\n`);
    return 1;
  }
}

/** `<MSG code>: <text>`; whoever runs a command may know what an uncoded failure says. */
function describe(error: unknown): string {
  const { code, message } = toMsgError(error);
  if (error instanceof MsgError || !(error instanceof Error)) return `${code}: ${message}`;
  return `${code}: ${error.message.split('\n', 1)[0]}`;
}

function missingCommand(): CommanderError {
  return new CommanderError(1, 'msg.noCommand', 'a command is missing, see --help');
}

/** The binary. `argv` is the process's own. */
export async function main(argv: string[]): Promise<void> {
  // Whoever read the output has seen enough: `msg … | head -1`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  process.exitCode = await runCommand(argv.slice(2), processIo());
}
