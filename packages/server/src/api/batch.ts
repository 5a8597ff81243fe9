import { isRecord } from '@msg/foundation/json';
import { isPromise, type MaybePromise } from '@msg/foundation/promises';
import type { ApiCall } from './command.ts';
import { ApiError, errorText } from './errors.ts';
import { flagOf, type Members, membersOf } from './members.ts';
import type { CommandRunner, NamedCommand, Outcome } from './runner.ts';

/** Commands of a batch that run in one turn of the event loop. */
const COMMANDS_IN_TURN = 64;
/** Reading commands of a parallel batch that wait for the store at the same time: other callers have their turn. */
const READS_AT_ONCE = 16;
/** Replies of the reading commands of one batch beyond which nothing more is read. */
const READ_BYTES = 16 * 1024 * 1024;
/** Commands whose answers may hold a whole history or presence. */
const READING: ReadonlySet<string> = new Set(['history', 'presence', 'presence_stats']);

export interface BatchOptions {
  readonly runner: CommandRunner;
  readonly maxBatch: number;
  /** Resolves in a later turn of the event loop. */
  readonly nextTurn: () => Promise<void>;
}

/** One command of a batch, or what is wrong with it. */
type BatchCommand = NamedCommand | ApiError;

/** A batch that is being answered: whose call it is, and what its reading commands have answered so far. */
interface Run {
  readonly call: ApiCall;
  readBytes: number;
}

/**
 * Several commands in one request. A failed command does not stop the others; replies are in the order of the commands.
 * Above {@link READ_BYTES} further commands that read are refused with error 107.
 */
export class Batch {
  readonly #options: BatchOptions;

  constructor(options: BatchOptions) {
    this.#options = options;
  }

  /**
   * The JSON text of the answer.
   * @throws MsgError MSG_INVALID_ARGUMENT for a batch that holds no commands, or too many; as rejection.
   */
  async run(members: Members, call: ApiCall): Promise<string> {
    const { commands } = members;
    const { maxBatch } = this.#options;
    if (!Array.isArray(commands) || commands.length === 0 || commands.length > maxBatch)
      throw new ApiError(107, `commands must hold 1 to ${maxBatch} commands`);
    const read = commands.map(command => this.#read(command));
    const readable = read.flatMap(command => (command instanceof ApiError ? [] : [command]));
    const run: Run = { call: this.#options.runner.sharedCall(call, readable), readBytes: 0 };
    const replies = await (flagOf(members, 'parallel') ? this.#atOnce(read, run) : this.#inOrder(read, run));
    return `{"replies":[${replies.join(',')}]}`;
  }

  #read(command: unknown): BatchCommand {
    if (!isRecord(command)) return new ApiError(107, 'a command must be an object');
    const names = Object.keys(command).filter(name => command[name] !== null);
    const existing = names.filter(name => this.#options.runner.has(name));
    const [name] = existing;
    if (name !== undefined && existing.length === 1) return { name, members: membersOf(command[name]) };
    if (existing.length === 0 && names.length > 0)
      return new ApiError(104, 'the service has no such command');
    return new ApiError(107, 'a command must have exactly one member');
  }

  async #inOrder(commands: readonly BatchCommand[], run: Run): Promise<string[]> {
    const replies: string[] = [];
    for (const [index, command] of commands.entries()) {
      if (index > 0 && index % COMMANDS_IN_TURN === 0) await this.#options.nextTurn();
      const reply = this.#reply(command, run);
      replies.push(isPromise(reply) ? await reply : reply);
    }
    return replies;
  }

  /**
   * Commands of one channel wait for those before them: its publications keep their order. A read waits for the
   * sixteenth read before it.
   */
  async #atOnce(commands: readonly BatchCommand[], run: Run): Promise<string[]> {
    const lastOf = new Map<string, Promise<string>>();
    const reads: Promise<string>[] = [];
    const replies: MaybePromise<string>[] = [];
    for (const [index, command] of commands.entries()) {
      if (index > 0 && index % COMMANDS_IN_TURN === 0) await this.#options.nextTurn();
      const channels = command instanceof ApiError ? [] : channelsOf(command.members);
      const before = channels.flatMap(channel => lastOf.get(channel) ?? []);
      const isReading = !(command instanceof ApiError) && READING.has(command.name);
      const earlier = isReading ? reads.at(-READS_AT_ONCE) : undefined;
      if (earlier !== undefined) before.push(earlier);
      const reply =
        before.length === 0
          ? this.#reply(command, run)
          : Promise.all(before).then(() => this.#reply(command, run));
      if (isPromise(reply)) {
        for (const channel of channels) lastOf.set(channel, reply);
        if (isReading) reads.push(reply);
      }
      replies.push(reply);
    }
    return Promise.all(replies);
  }

  #reply(command: BatchCommand, run: Run): MaybePromise<string> {
    const { runner } = this.#options;
    if (command instanceof ApiError) return replyText('', runner.fail('unknown', command));
    const { name, members } = command;
    if (!READING.has(name)) return textLater(name, runner.run(name, members, run.call));
    if (run.readBytes > READ_BYTES)
      return replyText(name, runner.fail(name, new ApiError(107, 'the batch reads too much')));
    const reply = textLater(name, runner.run(name, members, run.call));
    return isPromise(reply) ? reply.then(text => counted(text, run)) : counted(reply, run);
  }
}

/** The text of a reply to a reading command, which the run adds up. */
function counted(text: string, run: Run): string {
  run.readBytes += Buffer.byteLength(text);
  return text;
}

function textLater(name: string, outcome: MaybePromise<Outcome>): MaybePromise<string> {
  return isPromise(outcome) ? outcome.then(later => replyText(name, later)) : replyText(name, outcome);
}

function channelsOf(members: Members | undefined): readonly string[] {
  const { channel, channels } = members ?? {};
  const named = Array.isArray(channels) ? channels : [channel];
  return named.filter(name => typeof name === 'string');
}

function replyText(name: string, outcome: Outcome): string {
  if ('failure' in outcome) return `{"error":${errorText(outcome.failure.code)}}`;
  return `{"${name}":${outcome.text}}`;
}
