import { isRecord } from '@msg/foundation/json';
import { isPromise } from '@msg/foundation/promises';
import type { ApiCall } from './command.ts';
import { COMMAND_NUMBERS } from './commands/table.ts';
import { ApiError, errorText } from './errors.ts';
import { membersOf } from './members.ts';
import { BadBody, readJson } from './request.ts';
import type { CommandRunner, NamedCommand, Outcome } from './runner.ts';

/** One command of the older form; an empty name: it cannot be read. */
export interface OlderCommand extends NamedCommand {
  /** 0 without one. */
  readonly id: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Cuts a text into its consecutive objects, with white space or nothing between them. The parser checks each one.
 * @throws BadBody for anything else between them, and for an unfinished object
 */
function* objectsOf(text: string): Iterable<string> {
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE && depth > 0) at = endOfString(text, at);
    else if (unit === OPEN_BRACE && depth++ === 0) start = at;
    else if (unit === CLOSE_BRACE && --depth === 0) yield text.slice(start, at + 1);
    else if (depth <= 0 && !/[ \t\r\n]/.test(text.charAt(at))) throw new BadBody();
  }
  if (depth !== 0) throw new BadBody();
}

function endOfString(text: string, quote: number): number {
  for (let at = quote + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === BACKSLASH) at++;
    else if (unit === QUOTE) return at;
  }
  throw new BadBody();
}

/**
 * Reads all commands of a body before the first one runs.
 * @throws BadBody for a command that is not JSON, for no command and for too many
 */
export function readOlderForm(text: string, maxBatch: number): readonly OlderCommand[] {
  const commands: OlderCommand[] = [];
  for (const object of objectsOf(text)) {
    if (commands.length === maxBatch) throw new BadBody();
    commands.push(readCommand(object));
  }
  if (commands.length === 0) throw new BadBody();
  return commands;
}

function readCommand(text: string): OlderCommand {
  const command = readJson(text, parsed => nameOf(parsed['method']), ['params']);
  const { id, method, params } = command;
  return {
    id: typeof id === 'number' && Number.isSafeInteger(id) ? id : 0,
    name: nameOf(method),
    members: isRecord(params) || params === undefined || params === null ? membersOf(params) : undefined,
  };
}

function nameOf(method: unknown): string {
  if (typeof method === 'number') return COMMAND_NUMBERS[method] ?? '';
  // An absent method is number 0: the clients leave zeros out.
  if (method === undefined || method === null) return COMMAND_NUMBERS[0] ?? '';
  return typeof method === 'string' ? method.toLowerCase() : '';
}

/** Runs commands one after the other. Replies are lines, without a newline behind the last one. */
export async function runOlderForm(
  commands: readonly OlderCommand[],
  call: ApiCall,
  runner: CommandRunner,
): Promise<string> {
  const replies: string[] = [];
  const shared = runner.sharedCall(call, commands);
  for (const { id, name, members } of commands) {
    const outcome =
      name === ''
        ? runner.fail('unknown', new ApiError(104, 'the service has no such command'))
        : runner.run(name, members, shared);
    replies.push(replyText(id, isPromise(outcome) ? await outcome : outcome));
  }
  return replies.join('\n');
}

function replyText(id: number, outcome: Outcome): string {
  const idMember = id === 0 ? '' : `"id":${id},`;
  if ('failure' in outcome) return `{${idMember}"error":${errorText(outcome.failure.code)}}`;
  return `{${idMember}"result":${outcome.text}}`;
}
