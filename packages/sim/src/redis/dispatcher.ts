import type { Answer } from './answer.ts';
import type { Client } from './client.ts';
import type { CommandRow, Commands, CommandTable } from './command.ts';
import { CommandError, fail } from './command-error.ts';
import { hasArity, hasFlag } from './command-traits.ts';
import { COMMAND_TABLE } from './commands/table.ts';
import { printable, unknownText } from './error-text.ts';
import type { Keyspace } from './keyspace.ts';
import { type Bytes, Failure } from './reply.ts';
import type { RedisState } from './state.ts';

/** Redis 7.0 refuses them as it does here; clients ask for them anyway. */
const LATER_THAN_7_0: readonly string[] = ['client|setinfo'];

/** Finds commands and runs them on the data of a server. */
export class Dispatcher implements Commands {
  readonly #state: RedisState;
  readonly #table: CommandTable;

  constructor(state: RedisState, table: CommandTable = COMMAND_TABLE) {
    this.#state = state;
    this.#table = table;
  }

  lookUp(args: readonly Bytes[]): CommandRow | Bytes | undefined {
    const row = this.#table.get((args[0] ?? '').toLowerCase());
    if (row === undefined || !('subcommands' in row)) return row;
    const name = `${row.name}|${(args[1] ?? '').toLowerCase()}`;
    return row.subcommands.find(subcommand => subcommand.name === name) ?? row.name;
  }

  find(args: readonly Bytes[]): CommandRow {
    const row = this.lookUp(args);
    if (row === undefined) {
      this.#state.unknown((args[0] ?? '').toLowerCase());
      return fail(unknownText(args));
    }
    if (typeof row !== 'string' && hasArity(row, args)) return row;
    if (typeof row !== 'string') return fail(`ERR wrong number of arguments for '${row.name}' command`);
    if (args.length < 2) return fail(`ERR wrong number of arguments for '${row}' command`);
    const name = `${row}|${args[1]?.toLowerCase()}`;
    if (!LATER_THAN_7_0.includes(name)) this.#state.unknown(name);
    return fail(`ERR unknown subcommand '${printable(args[1] ?? '')}'. Try ${row.toUpperCase()} HELP.`);
  }

  execute(row: CommandRow, args: readonly Bytes[], client: Client): Answer {
    const { database } = client;
    const state = this.#state;
    const keys = state.database(database) as Keyspace; // SELECT takes no other
    try {
      const answer = row.run(args, { state, keys, client, commands: this });
      if (hasFlag(row, 'write')) state.written({ atUs: state.options.nowUs(), database, args });
      return answer;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      return new Failure(error.text);
    }
  }
}
