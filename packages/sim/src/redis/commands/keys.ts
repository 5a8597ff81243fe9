import { type Answer, OK } from '../answer.ts';
import type { CommandContext, CommandRow } from '../command.ts';
import { ERRORS, fail } from '../command-error.ts';
import { ONE_KEY, WRITE } from '../command-traits.ts';
import type { Bytes } from '../reply.ts';
import { integer } from './arguments.ts';
import { expiryMs } from './expiry.ts';

export const KEY_COMMANDS: readonly CommandRow[] = [
  {
    name: 'del',
    arity: -2,
    flags: WRITE,
    keys: [1, -1, 1],
    run: ([, ...names], { keys }) => names.filter(key => keys.delete(key)).length,
  },
  {
    name: 'exists',
    arity: -2,
    keys: [1, -1, 1],
    run: ([, ...names], { keys }) => names.filter(key => keys.has(key)).length,
  },
  { name: 'expire', arity: -3, flags: WRITE, keys: ONE_KEY, run: expireIn('EX') },
  { name: 'pexpire', arity: -3, flags: WRITE, keys: ONE_KEY, run: expireIn('PX') },
  { name: 'ttl', arity: 2, keys: ONE_KEY, run: timeLeft(left => (left + 500n) / 1000n) },
  { name: 'pttl', arity: 2, keys: ONE_KEY, run: timeLeft(left => left) },
  { name: 'flushall', arity: -1, flags: WRITE, run: flushAll },
];

function expireIn(unit: 'EX' | 'PX'): CommandRow['run'] {
  return ([name = '', key = '', amount = '', ...words], { keys, state }) => {
    const conditions = expireConditions(words);
    const now = state.nowMs();
    const atMs = expiryMs(integer(amount), unit, now, { command: name.toLowerCase() });
    if (!keys.has(key)) return 0;
    if (!mayExpire(conditions, keys.expiryOf(key), atMs)) return 0;
    if (atMs <= now) keys.delete(key);
    else keys.expireAt(key, atMs);
    return 1;
  };
}

/** @throws CommandError when they exclude each other */
function expireConditions(words: readonly Bytes[]): ReadonlySet<string> {
  const conditions = new Set<string>();
  for (const word of words) {
    const upper = word.toUpperCase();
    if (!['NX', 'XX', 'GT', 'LT'].includes(upper)) fail(`ERR Unsupported option ${word.split('\0')[0]}`);
    conditions.add(upper);
  }
  if (conditions.has('NX') && conditions.size > 1)
    fail('ERR NX and XX, GT or LT options at the same time are not compatible');
  if (conditions.has('GT') && conditions.has('LT'))
    fail('ERR GT and LT options at the same time are not compatible');
  return conditions;
}

/** Without an expiry a key stays for ever: nothing is greater, everything is less. */
function mayExpire(conditions: ReadonlySet<string>, present: bigint | undefined, atMs: bigint): boolean {
  if (conditions.has('NX') && present !== undefined) return false;
  if (conditions.has('XX') && present === undefined) return false;
  if (conditions.has('GT') && (present === undefined || atMs <= present)) return false;
  return !(conditions.has('LT') && present !== undefined && atMs >= present);
}

/** -2 without the key, -1 without an expiry. */
function timeLeft(inUnit: (leftMs: bigint) => bigint): CommandRow['run'] {
  return ([, key = ''], { keys, state }) => {
    if (!keys.has(key)) return -2;
    const atMs = keys.expiryOf(key);
    if (atMs === undefined) return -1;
    const left = atMs - BigInt(state.nowMs());
    return inUnit(left > 0n ? left : 0n);
  };
}

function flushAll([, ...words]: readonly Bytes[], { state }: CommandContext): Answer {
  const [word] = words;
  if (words.length > 1 || (word !== undefined && !['SYNC', 'ASYNC'].includes(word.toUpperCase())))
    fail(ERRORS.syntax);
  state.flushAll();
  return OK;
}
