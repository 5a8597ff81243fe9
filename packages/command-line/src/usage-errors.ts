import { suggest } from '@msg/foundation/suggest';
import type { Command, CommanderError } from 'commander';
import { display, UsageError, type UsageErrorOptions } from './usage-error.ts';

/** Longest list of names in a message. */
const MAX_NAMES = 20;

/** What the parser found wrong with a line of `command`, in the words of our messages. */
export function usageError(command: Command, error: CommanderError): UsageError {
  // The parser's texts quote the word that is wrong, or the flag as it was declared.
  const quoted = /'([^']*)'/.exec(error.message)?.[1] ?? '';
  const flag = quoted.match(/--[^\s=]+/)?.[0] ?? quoted;
  const remedy = `${pathOf(command)} --help`;
  switch (error.code) {
    case 'commander.help':
      return new UsageError('a command is required', { remedy });
    case 'commander.unknownCommand':
      return missingCommand(command, quoted);
    case 'commander.unknownOption':
      if (command.commands.some(child => takes(child, flag)))
        return new UsageError('a command is required', { remedy });
      return missing('flag', flag, flagsOf(command), { flag, remedy });
    case 'commander.missingArgument':
      return new UsageError(`argument <${quoted}> is required`, { remedy });
    case 'commander.optionMissingArgument':
      return new UsageError(`the value of ${flag} is required`, { flag, remedy });
    case 'commander.missingMandatoryOptionValue':
      return new UsageError(`${flag} is required`, { flag, remedy });
    case 'commander.excessArguments':
      return excess(command, remedy);
    default:
      return new UsageError(error.message.split('\n', 1)[0] ?? '');
  }
}

function excess(command: Command, remedy: string): UsageError {
  const word = command.args[command.registeredArguments.length] ?? '';
  if (command.commands.length > 0) return missingCommand(command, word);
  const usage = `${pathOf(command)} ${command.usage()}`;
  return new UsageError(`argument ${display(word)} is not allowed: the usage is ${usage}`, { remedy });
}

/** A word that names no command: a flag without its hyphens, another spelling, or something else. */
function missingCommand(command: Command, word: string): UsageError {
  const path = pathOf(command);
  const flag = `--${word}`;
  if (flagsOf(command).includes(flag)) {
    const text = `command ${display(word)} does not exist; did you mean ${display(flag)}?`;
    return new UsageError(text, { remedy: `${path} ${flag}` });
  }
  const names = namesOf(command);
  const near = suggest(word, names);
  return missing('command', word, names, { remedy: `${path}${near === undefined ? '' : ` ${near}`} --help` });
}

/** The words of a command, from the parser's tree. */
function pathOf(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name());
  return names.join(' ');
}

/** `<kind> <shown> does not exist`, with the name that was probably meant or, of few, all. */
function missing(
  kind: string,
  word: string,
  names: readonly string[],
  options: UsageErrorOptions,
): UsageError {
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
