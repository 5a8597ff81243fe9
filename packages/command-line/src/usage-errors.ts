import { suggest } from '@msg/foundation/suggest';
import type { Command, CommanderError } from 'commander';
import { display, UsageError } from './usage-error.ts';

/** Longest list of names in a message. */
const MAX_NAMES = 20;

/** What the parser found wrong with a line of `command`, in the words of our messages. */
export function usageError(command: Command, error: CommanderError): UsageError {
  // The parser's texts quote the word that is wrong, or the flag as it was declared.
  const quoted = /'([^']*)'/.exec(error.message)?.[1] ?? '';
  const flag = quoted.match(/--[^\s=]+/)?.[0] ?? quoted;
  switch (error.code) {
    case 'commander.help':
      return new UsageError('a command is required');
    case 'commander.unknownCommand':
      return missing('command', quoted, namesOf(command));
    case 'commander.unknownOption':
      if (command.commands.some(child => takes(child, flag))) return new UsageError('a command is required');
      return missing('flag', flag, flagsOf(command), { flag });
    case 'commander.missingArgument':
      return new UsageError(`argument <${quoted}> is required`);
    case 'commander.optionMissingArgument':
      return new UsageError(`the value of ${flag} is required`, { flag });
    case 'commander.missingMandatoryOptionValue':
      return new UsageError(`${flag} is required`, { flag });
    case 'commander.excessArguments':
      return excess(command);
    default:
      return new UsageError(error.message.split('\n', 1)[0] ?? '');
  }
}

function excess(command: Command): UsageError {
  const word = command.args[command.registeredArguments.length] ?? '';
  if (command.commands.length > 0) return missing('command', word, namesOf(command));
  return new UsageError(`argument ${display(word)} is not allowed: the usage is ${usageLine(command)}`);
}

/** How a command is called, from the parser's tree. */
function usageLine(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name());
  return `${names.join(' ')} ${command.usage()}`;
}

/** `<kind> <shown> does not exist`, with the name that was probably meant or, of few, all. */
function missing(kind: string, word: string, names: readonly string[], options = {}): UsageError {
  const near = suggest(word, names);
  const hint = near === undefined ? `known: ${listed(names)}` : `did you mean ${display(near)}?`;
  return new UsageError(`${kind} ${display(word)} does not exist; ${hint}`, options);
}

function listed(names: readonly string[]): string {
  return names.length > MAX_NAMES ? `${names.slice(0, MAX_NAMES).join(', ')}, …` : names.join(', ');
}

/** True for a command with a flag, or with a command below that has it. */
function takes(command: Command, flag: string): boolean {
  return (
    command.options.some(({ long, short }) => flag === long || flag === short) ||
    command.commands.some(child => takes(child, flag))
  );
}

function namesOf(command: Command): string[] {
  return command.commands.map(child => child.name());
}

function flagsOf(command: Command): string[] {
  const options = command.createHelp().visibleOptions(command);
  const above = command.createHelp().visibleGlobalOptions(command);
  return [...options, ...above].flatMap(({ long }) => long ?? []);
}
