import luaparse from 'luaparse';
import { type Bytes, Failure, type Reply } from '../reply.ts';
import { Context } from './context.ts';
import { NotTranslated, running, type Site } from './failure.ts';
import { GLOBALS } from './globals.ts';
import { resetSerials } from './hash.ts';
import { cString } from './library/arguments.ts';
import { BASE } from './library/base.ts';
import { resetNumbers } from './library/random.ts';
import { commands, type Host } from './library/redis-functions.ts';
import { caughtError } from './operators.ts';
import { parenthesisedRanges } from './parentheses.ts';
import { valueReply } from './replies.ts';
import { RUNTIME } from './runtime.ts';
import { sha1hex } from './sha1.ts';
import { writeBlock } from './statements.ts';
import { first, LuaTable, type Results, type Value } from './value.ts';

/** A text that is not Lua: what the server answers. */
export class CompileError extends Error {
  override readonly name = 'CompileError';
  readonly failure: Failure;

  constructor(text: string) {
    super(text);
    this.failure = new Failure(text);
  }
}

type Main = (keys: LuaTable, args: LuaTable) => Results;

/** A script of Lua 5.1, as Redis runs it. */
export class LuaScript {
  readonly sha: string;
  readonly #main: Main;

  constructor(source: Bytes, main: Main) {
    this.sha = sha1hex(source);
    this.#main = main;
  }

  /** Runs the script; its commands go to the host. An error of the script is a `Failure`. */
  run(keys: readonly Bytes[], args: readonly Bytes[], host: Host): Reply {
    const { host: outer } = commands;
    commands.host = host;
    running.site = { line: undefined, name: undefined };
    resetNumbers();
    resetSerials();
    try {
      return valueReply(first(this.#main(listOfBytes(keys), listOfBytes(args))));
    } catch (error) {
      return this.#failure(error);
    } finally {
      commands.host = outer;
    }
  }

  /** The answer to an error: its text and, where it has a place, the script and the line. */
  #failure(thrown: unknown): Failure {
    const error = caughtError(thrown);
    const { value, line } = error;
    const text = value instanceof LuaTable ? value.get('err') : `ERR ${first(BASE['tostring']?.(value))}`;
    if (typeof text !== 'string') throw new NotTranslated('an error that is a table without a text');
    const tail = line === undefined ? '' : ` script: ${this.sha}, on @${running.source}:${line}.`;
    return new Failure(cString(text) + tail);
  }
}

function listOfBytes(list: readonly Bytes[]): LuaTable {
  const table = new LuaTable();
  for (const [index, bytes] of list.entries()) table.set(index + 1, bytes);
  return table;
}

/**
 * Translates a script. `name` is its file, for errors of the translator.
 *
 * @throws CompileError with what the server answers when the text is not Lua.
 * @throws NotTranslated with file and line when the script uses what is not translated.
 */
export function compile(source: Bytes, name: string): LuaScript {
  if (source.startsWith('#!')) throw new NotTranslated(`${name}:1: a shebang is not translated`);
  const statements = parse(source);
  const context = new Context(name, parenthesisedRanges(source), writeBlock);
  const body = context.inFunction(true, () => writeBlock(context, statements));
  const sites = context.sites.map((_, index) => `const S${index} = sites[${index}];`);
  const globals = [...context.globals].map(global => `const G_${global} = globals.get('${global}');`);
  const code = `'use strict';
const { ${Object.keys(RUNTIME).join(', ')} } = runtime;
${globals.join('\n')}
${sites.join('\n')}
return function (KEYS, ARGV) {
const rest = NOTHING;
const up = running.site;
${body}
return NOTHING;
};`;
  const make = new Function('runtime', 'globals', 'sites', code) as (
    runtime: typeof RUNTIME,
    globals: ReadonlyMap<string, Value>,
    sites: readonly Site[],
  ) => Main;
  return new LuaScript(source, make(RUNTIME, GLOBALS, context.sites));
}

function parse(source: Bytes): readonly luaparse.Statement[] {
  try {
    const options = {
      luaVersion: '5.1',
      encodingMode: 'pseudo-latin1',
      locations: true,
      ranges: true,
      comments: false,
    } as const;
    return luaparse.parse(source, options).body;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const [, line, text] = /^\[(\d+):\d+\] (.*)$/s.exec(error.message) ?? [];
    throw new CompileError(
      `ERR Error compiling script (new function): user_script:${line ?? 1}: ${text ?? error.message}`,
    );
  }
}
