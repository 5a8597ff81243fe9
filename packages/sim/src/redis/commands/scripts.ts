import { type Answer, OK, replyOf } from '../answer.ts';
import { redirectionOf } from '../cluster/redirection.ts';
import type { CommandContext, CommandRow, ContainerRow } from '../command.ts';
import { fail } from '../command-error.ts';
import { type CommandFlag, hasArity, hasFlag } from '../command-traits.ts';
import { CompileError } from '../lua/script.ts';
import { type Bytes, Failure, type Reply } from '../reply.ts';
import type { RedisState, RunnableScript, ScriptHost } from '../state.ts';
import { count } from './arguments.ts';

const FLAGS: readonly CommandFlag[] = ['noScript'];
const NO_SCRIPT = 'NOSCRIPT No matching script. Please use EVAL.';
/** Hexadecimal digits of a SHA-1. */
const DIGEST_LENGTH = 40;

export const SCRIPT_COMMANDS: readonly (CommandRow | ContainerRow)[] = [
  { name: 'eval', arity: -3, flags: FLAGS, run: (args, context) => evaluate(args, context, loaded) },
  { name: 'evalsha', arity: -3, flags: FLAGS, run: evaluateDigest },
  {
    name: 'script',
    subcommands: [
      {
        name: 'script|load',
        arity: 3,
        flags: FLAGS,
        run: ([, , source = ''], { state }) => load(source, state),
      },
      { name: 'script|exists', arity: -3, flags: FLAGS, run: exists },
      { name: 'script|flush', arity: -2, flags: FLAGS, run: flush },
    ],
  },
];

type Find = (text: Bytes, state: RedisState) => RunnableScript;

function evaluate(args: readonly Bytes[], context: CommandContext, find: Find): Answer {
  const { state } = context;
  const [, text = '', amount = '', ...rest] = args;
  const keyCount = count(amount);
  if (keyCount > rest.length) fail("ERR Number of keys can't be greater than number of args");
  if (keyCount < 0) fail("ERR Number of keys can't be negative");
  const script = find(text, state);
  return script.run(rest.slice(0, keyCount), rest.slice(keyCount), hostFor(context));
}

/** What cannot be a digest is refused before the other arguments are looked at. */
function evaluateDigest(args: readonly Bytes[], context: CommandContext): Answer {
  if (args[1]?.length !== DIGEST_LENGTH) fail(NO_SCRIPT);
  return evaluate(args, context, scriptOf);
}

function loaded(source: Bytes, state: RedisState): RunnableScript {
  return state.scripts.get(load(source, state)) as RunnableScript; // just loaded
}

function scriptOf(sha1: Bytes, { scripts }: RedisState): RunnableScript {
  return scripts.get(sha1.toLowerCase()) ?? fail(NO_SCRIPT);
}

/** @throws CommandError when it cannot be compiled */
function load(source: Bytes, state: RedisState): Bytes {
  try {
    return state.load(source);
  } catch (error) {
    if (!(error instanceof CompileError)) throw error; // what is not translated ends the run
    return fail(error.message);
  }
}

/** Runs the commands of a script as a client of its own, in the database of the caller. */
function hostFor(caller: CommandContext): ScriptHost {
  const client = caller.state.newClient({ send: () => undefined, end: () => undefined });
  client.database = caller.client.database;
  client.isAsking = caller.client.isAsking;
  return { call: args => call(args, { ...caller, client }) };
}

function call(args: readonly Bytes[], { state, client, commands }: CommandContext): Reply {
  const row = commands.lookUp(args);
  if (row === undefined || typeof row === 'string') {
    state.unknown(
      args
        .slice(0, row === undefined ? 1 : 2)
        .join('|')
        .toLowerCase(),
    );
    return new Failure('ERR Unknown Redis command called from script');
  }
  if (!hasArity(row, args)) return new Failure('ERR Wrong number of args calling Redis command from script');
  if (hasFlag(row, 'noScript')) return new Failure('ERR This Redis command is not allowed from script');
  const failure = refusalOfScript(row, args, { state, client });
  if (failure !== undefined) return failure;
  return state.refusalOf(row) ?? replyOf(commands.execute(row, args, client));
}

/** A script works on keys of the member of a cluster that it runs on, and of one slot. */
function refusalOfScript(
  row: CommandRow,
  args: readonly Bytes[],
  { state, client }: Pick<CommandContext, 'state' | 'client'>,
): Failure | undefined {
  const redirected = redirectionOf(state, client, { row, args });
  if (redirected?.text.startsWith('CLUSTERDOWN') === true)
    return new Failure('ERR Script attempted to execute a command while the cluster is down');
  if (redirected === undefined) return undefined;
  return new Failure('ERR Script attempted to access a non local key in a cluster node');
}

function exists([, , ...digests]: readonly Bytes[], { state }: CommandContext): Answer {
  return digests.map(sha1 => (state.scripts.has(sha1.toLowerCase()) ? 1 : 0));
}

function flush([, , ...words]: readonly Bytes[], { state }: CommandContext): Answer {
  const [word = 'SYNC'] = words;
  if (words.length > 1 || !['SYNC', 'ASYNC'].includes(word.toUpperCase()))
    fail('ERR SCRIPT FLUSH only support SYNC|ASYNC option');
  state.scripts.clear();
  return OK;
}
