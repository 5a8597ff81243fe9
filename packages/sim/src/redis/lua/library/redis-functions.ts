import type { Reply } from '../../reply.ts';
import { LuaError, libraryFailure, NotTranslated, running } from '../failure.ts';
import { argumentText, toNumber } from '../numbers.ts';
import { textOf } from '../operators.ts';
import { errorTable, replyValue, singleField } from '../replies.ts';
import { sha1hex } from '../sha1.ts';
import type { LuaTable } from '../value.ts';
import { type LuaFunction, NOTHING, type Results, type Value } from '../value.ts';

/** What executes the commands of a script. */
export interface Host {
  call(args: readonly string[]): Reply;
}

/** The host of the script that runs. */
export const commands: { host: Host } = {
  host: {
    call() {
      throw new NotTranslated('a command outside of every script');
    },
  },
};

/** An error of `redis.*`, which is a table. */
function raised(table: LuaTable): LuaError {
  return new LuaError(table, running.site.line);
}

/** Arguments of a command, or the error table for values that cannot be arguments. */
function argumentsOf(values: readonly Value[]): readonly string[] | LuaTable {
  if (values.length === 0) return errorTable('Please specify at least one argument for this redis lib call');
  const args: string[] = [];
  for (const value of values) {
    if (typeof value === 'string') args.push(value);
    else if (typeof value === 'number') args.push(argumentText(value));
    else return errorTable('Lua redis lib command arguments must be strings or integers');
  }
  return args;
}

function command(values: readonly Value[], isRaising: boolean): Results {
  const args = argumentsOf(values);
  const isRefused = !Array.isArray(args);
  const result = isRefused ? (args as LuaTable) : replyValue(commands.host.call(args as readonly string[]));
  const isFailure =
    isRefused || (typeof result === 'object' && (result as LuaTable).get('err') !== undefined);
  if (isRaising && isFailure) throw raised(result as LuaTable);
  return result;
}

const WRONG = 'wrong number or type of arguments';

function statusReply(values: readonly Value[]): Results {
  const [text] = values;
  return values.length === 1 && typeof text === 'string' ? singleField('ok', text) : errorTable(WRONG);
}

function errorReply(values: readonly Value[]): Results {
  const [text] = values;
  if (values.length !== 1 || typeof text !== 'string') return errorTable(WRONG);
  return errorTable(text.startsWith('-') ? text : `-${text}`);
}

function log(values: readonly Value[]): Results {
  if (values.length < 2) throw raised(errorTable('redis.log() requires two arguments or more.'));
  const level = toNumber(values[0]);
  if (level === undefined) throw raised(errorTable('First argument must be a number (log level).'));
  if (!(Math.trunc(level) >= 0 && Math.trunc(level) <= 3)) throw raised(errorTable('Invalid debug level.'));
  return NOTHING;
}

function digest(values: readonly Value[]): Results {
  if (values.length !== 1) throw raised(errorTable('wrong number of arguments'));
  const [text] = values;
  if (typeof text !== 'string' && typeof text !== 'number')
    throw libraryFailure('sha1hex of what is not a string');
  return sha1hex(textOf(text));
}

/** The table `redis`. */
export const REDIS: Readonly<Record<string, LuaFunction | number>> = {
  LOG_DEBUG: 0,
  LOG_NOTICE: 2,
  LOG_VERBOSE: 1,
  LOG_WARNING: 3,
  call: (...values) => command(values, true),
  error_reply: (...values) => errorReply(values),
  log: (...values) => log(values),
  pcall: (...values) => command(values, false),
  sha1hex: (...values) => digest(values),
  status_reply: (...values) => statusReply(values),
};
