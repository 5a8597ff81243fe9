import { defined } from '@msg/foundation/json';
import { CommanderError } from 'commander';
import { commandFirst } from './command-first.ts';
import { completionCommand } from './completion/command.ts';
import type { ProgramIo } from './io.ts';
import { type Style, styleFor } from './output/style.ts';
import { buildParser } from './parser.ts';
import type { Failure, Program, ProgramRow } from './program-row.ts';
import { UsageError } from './usage-error.ts';

/** Adds the command `completion` to a program. */
export function defineProgram<Io extends ProgramIo>(row: ProgramRow<Io>): Program<Io> {
  const program: Program<Io> = {
    groups: {},
    settings: {},
    detail: '',
    root: undefined,
    ...row,
    commands: [...row.commands, completionCommand<Io>(row.name, () => program)],
  };
  return program;
}

/**
 * Runs one command line and answers its exit code. A line that fails writes what the program's `failure` says, and the
 * help after it where the line is empty or ends with the first word of several commands.
 * @param words The arguments after the program's name.
 */
export async function runProgram<Io extends ProgramIo>(
  program: Program<Io>,
  words: readonly string[],
  io: Io,
): Promise<number> {
  const json = words.includes('--json');
  let exitCode = 0;
  let help = '';
  let command = '';
  const parser = buildParser(program, io, {
    onHelp: text => {
      help += text;
    },
    onStart: name => {
      command = name;
    },
    onEnd: code => {
      exitCode = code;
    },
  });
  try {
    await parser.parseAsync(commandFirst(program, words), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (words.length === 0 && error instanceof UsageError && help === '') parser.outputHelp({ error: true });
    const failure = program.failure(error, json, command);
    const noColor = words.includes('--no-color');
    io.err(failureText(failure, styleFor({ env: io.env, isTerminal: io.terminal.err, noColor })));
    if (help !== '' && !json) io.err(`\n${help}`);
    return failure.exitCode;
  }
}

/** The text of a failure, and indented below it what to do and where to read on. */
function failureText({ text, remedy, page }: Failure, style: Style): string {
  const advice = Object.entries(defined({ try: remedy, see: page }));
  const lines = advice.map(([word, value]) => `  ${style.label(`${word}:`)} ${value}`);
  return [text.replace(/^\w+:/, style.error), ...lines, ''].join('\n');
}

/** Exit code of a process that SIGINT ended, as shells count: 128 and the number of the signal. */
const INTERRUPTED = 130;

/** Ends the process, unless the command listens for the signal itself. */
function onInterrupt(): void {
  if (process.listenerCount('SIGINT') === 1) process.exit(INTERRUPTED);
}

/** Runs the command line of this process. `argv` is the process's own. */
export async function runProcess<Io extends ProgramIo>(
  program: Program<Io>,
  argv: readonly string[],
  io: Io,
): Promise<void> {
  // The reader closed the pipe: `msg … | head -1`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  process.on('SIGINT', onInterrupt);
  process.exitCode = await runProgram(program, argv.slice(2), io);
}
