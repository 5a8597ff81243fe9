import type { Answer } from './answer.ts';
import type { Client } from './client.ts';
import type { CommandTraits } from './command-traits.ts';
import type { Keyspace } from './keyspace.ts';
import type { Bytes } from './reply.ts';
import type { RedisState } from './state.ts';

/** What a command works on. */
export interface CommandContext {
  readonly state: RedisState;
  /** The database that the client selected. */
  readonly keys: Keyspace;
  readonly client: Client;
  readonly commands: Commands;
}

/** All commands, for those that run others. */
export interface Commands {
  /** The row, or the name of a container that has no such subcommand, or nothing. */
  lookUp(args: readonly Bytes[]): CommandRow | Bytes | undefined;
  /** The row of a command with enough arguments. One that is not known is noted. @throws CommandError */
  find(args: readonly Bytes[]): CommandRow;
  /** Runs a command that nothing refuses. */
  execute(row: CommandRow, args: readonly Bytes[], client: Client): Answer;
}

/** A command. */
export interface CommandRow extends CommandTraits {
  /** Runs it; `args` begins with its name. @throws CommandError */
  readonly run: (args: readonly Bytes[], context: CommandContext) => Answer;
}

/** Commands by their names in small letters. */
export type CommandTable = ReadonlyMap<Bytes, CommandRow | ContainerRow>;

/** A command that consists of subcommands. */
export interface ContainerRow {
  readonly name: Bytes;
  readonly subcommands: readonly CommandRow[];
}
