import { type Answer, OK } from '../answer.ts';
import type { CommandContext, CommandRow } from '../command.ts';
import { ERRORS, fail } from '../command-error.ts';
import { ONE_KEY, WRITE, WRITE_MORE } from '../command-traits.ts';
import { fitsInt64, readInteger } from '../numbers.ts';
import type { Bytes } from '../reply.ts';
import { integer } from './arguments.ts';
import { expiryMs } from './expiry.ts';

const STRING_MAX = 512 * 1024 * 1024;

export const STRING_COMMANDS: readonly CommandRow[] = [
  { name: 'get', arity: 2, keys: ONE_KEY, run: ([, key = ''], { keys }) => keys.read(key, 'string') ?? null },
  { name: 'set', arity: -3, flags: WRITE_MORE, keys: ONE_KEY, run: set },
  { name: 'getdel', arity: 2, flags: WRITE, keys: ONE_KEY, run: getDelete },
  { name: 'mget', arity: -2, keys: [1, -1, 1], run: getMany },
  { name: 'incr', arity: 2, flags: WRITE_MORE, keys: ONE_KEY, run: increment },
  { name: 'append', arity: 3, flags: WRITE_MORE, keys: ONE_KEY, run: append },
  {
    name: 'strlen',
    arity: 2,
    keys: ONE_KEY,
    run: ([, key = ''], { keys }) => keys.read(key, 'string')?.length ?? 0,
  },
];

interface SetOptions {
  only: 'NX' | 'XX' | undefined;
  get: boolean;
  keepTtl: boolean;
  expiry: { readonly unit: string; readonly amount: Bytes } | undefined;
}

function set(args: readonly Bytes[], { keys, state }: CommandContext): Answer {
  const [, key = '', content = ''] = args;
  const options = setOptions(args);
  const { expiry } = options;
  const now = state.nowMs();
  const atMs =
    expiry && expiryMs(integer(expiry.amount), expiry.unit, now, { command: 'set', positive: true });
  const before = options.get ? (keys.read(key, 'string') ?? null) : null;
  const exists = keys.has(key);
  if ((options.only === 'NX' && exists) || (options.only === 'XX' && !exists)) return before;
  keys.set(key, { type: 'string', content }, options.keepTtl ? keys.expiryOf(key) : atMs);
  return options.get ? before : OK;
}

/** @throws CommandError when two of them exclude each other */
function setOptions(args: readonly Bytes[]): SetOptions {
  const options: SetOptions = { only: undefined, get: false, keepTtl: false, expiry: undefined };
  for (let at = 3; at < args.length; at++) {
    const word = (args[at] ?? '').toUpperCase();
    const next = args[at + 1];
    if ((word === 'NX' || word === 'XX') && (options.only ?? word) === word) options.only = word;
    else if (word === 'GET') options.get = true;
    else if (word === 'KEEPTTL' && options.expiry === undefined) options.keepTtl = true;
    else if (isExpiry(word) && next !== undefined && options.expiry === undefined && !options.keepTtl) {
      options.expiry = { unit: word, amount: next };
      at++;
    } else fail(ERRORS.syntax);
  }
  return options;
}

function isExpiry(word: string): boolean {
  return ['EX', 'PX', 'EXAT', 'PXAT'].includes(word);
}

function getDelete([, key = '']: readonly Bytes[], { keys }: CommandContext): Answer {
  const text = keys.read(key, 'string') ?? null;
  keys.delete(key);
  return text;
}

/** A key of another type counts as missing. */
function getMany([, ...names]: readonly Bytes[], { keys }: CommandContext): Answer {
  return names.map(key => (keys.typeOf(key) === 'string' ? (keys.read(key, 'string') ?? null) : null));
}

function increment([, key = '']: readonly Bytes[], { keys }: CommandContext): Answer {
  const value = readInteger(keys.read(key, 'string') ?? '0') ?? fail(ERRORS.notInteger);
  if (!fitsInt64(value + 1n)) fail(ERRORS.overflow);
  keys.setText(key, String(value + 1n));
  return value + 1n;
}

function append([, key = '', added = '']: readonly Bytes[], { keys }: CommandContext): Answer {
  const before = keys.read(key, 'string') ?? '';
  if (before.length + added.length > STRING_MAX)
    fail('ERR string exceeds maximum allowed size (proto-max-bulk-len)');
  keys.setText(key, before + added);
  return before.length + added.length;
}
