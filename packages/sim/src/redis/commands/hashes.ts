import { type Answer, MapAnswer, OK } from '../answer.ts';
import type { CommandContext, CommandRow } from '../command.ts';
import { ERRORS, fail } from '../command-error.ts';
import { ONE_KEY, WRITE, WRITE_MORE } from '../command-traits.ts';
import { fitsInt64, readInteger } from '../numbers.ts';
import type { Bytes } from '../reply.ts';
import { integer } from './arguments.ts';
import { scanHash } from './hash-scan.ts';

export const HASH_COMMANDS: readonly CommandRow[] = [
  { name: 'hset', arity: -4, flags: WRITE_MORE, keys: ONE_KEY, run: setFields },
  { name: 'hmset', arity: -4, flags: WRITE_MORE, keys: ONE_KEY, run: setFields },
  { name: 'hsetnx', arity: 4, flags: WRITE_MORE, keys: ONE_KEY, run: setIfMissing },
  {
    name: 'hget',
    arity: 3,
    keys: ONE_KEY,
    run: ([, key = '', field = ''], { keys }) => keys.read(key, 'hash')?.get(field) ?? null,
  },
  { name: 'hmget', arity: -3, keys: ONE_KEY, run: getFields },
  {
    name: 'hgetall',
    arity: 2,
    keys: ONE_KEY,
    run: ([, key = ''], { keys }) => new MapAnswer([...(keys.read(key, 'hash') ?? [])].flat()),
  },
  {
    name: 'hkeys',
    arity: 2,
    keys: ONE_KEY,
    run: ([, key = ''], { keys }) => [...(keys.read(key, 'hash')?.keys() ?? [])],
  },
  {
    name: 'hlen',
    arity: 2,
    keys: ONE_KEY,
    run: ([, key = ''], { keys }) => keys.read(key, 'hash')?.size ?? 0,
  },
  { name: 'hdel', arity: -3, flags: WRITE, keys: ONE_KEY, run: deleteFields },
  { name: 'hincrby', arity: 4, flags: WRITE_MORE, keys: ONE_KEY, run: incrementField },
  { name: 'hscan', arity: -3, keys: ONE_KEY, run: scanHash },
];

function hashOf(key: Bytes, { keys }: CommandContext): Map<Bytes, Bytes> {
  return keys.ensure(key, 'hash', () => new Map());
}

function setFields(args: readonly Bytes[], context: CommandContext): Answer {
  const [name = '', key = '', ...pairs] = args;
  const command = name.toLowerCase();
  if (pairs.length % 2 === 1) fail(`ERR wrong number of arguments for '${command}' command`);
  const hash = hashOf(key, context);
  const before = hash.size;
  for (let at = 0; at < pairs.length; at += 2) hash.set(pairs[at] ?? '', pairs[at + 1] ?? '');
  return command === 'hset' ? hash.size - before : OK;
}

function setIfMissing(args: readonly Bytes[], context: CommandContext): Answer {
  const [, key = '', field = '', content = ''] = args;
  const hash = hashOf(key, context);
  if (hash.has(field)) return 0;
  hash.set(field, content);
  return 1;
}

function getFields([, key = '', ...fields]: readonly Bytes[], { keys }: CommandContext): Answer {
  const hash = keys.read(key, 'hash');
  return fields.map(field => hash?.get(field) ?? null);
}

function deleteFields([, key = '', ...fields]: readonly Bytes[], { keys }: CommandContext): Answer {
  const hash = keys.read(key, 'hash');
  if (hash === undefined) return 0;
  const deleted = fields.filter(field => hash.delete(field)).length;
  keys.deleteIfEmpty(key);
  return deleted;
}

function incrementField(args: readonly Bytes[], context: CommandContext): Answer {
  const [, key = '', field = '', amount = ''] = args;
  const by = integer(amount);
  const present = context.keys.read(key, 'hash')?.get(field);
  const before = readInteger(present ?? '0');
  if (before === undefined) return fail('ERR hash value is not an integer');
  const after = before + by;
  if (!fitsInt64(after)) fail(ERRORS.overflow);
  hashOf(key, context).set(field, String(after));
  return after;
}
