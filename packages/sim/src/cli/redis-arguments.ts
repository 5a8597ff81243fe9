import { parseArgs } from 'node:util';
import { BadUse } from './arguments.ts';
import { nearest } from './nearest.ts';

const OPTIONS = { calls: { type: 'string' }, seed: { type: 'string' } } as const;
/** Calls of CI. */
const CALLS = 50_000;

/** What a command line of `npm run sim:redis` asks for. */
export interface RedisArguments {
  readonly calls: number;
  readonly seed: number;
}

/** @throws BadUse */
export function readRedisArguments(args: readonly string[]): RedisArguments {
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option' || token.name in OPTIONS) continue;
    const names = Object.keys(OPTIONS);
    throw new BadUse(`option --${token.name} is not known; the nearest is --${nearest(token.name, names)}`);
  }
  const [word] = positionals;
  if (word !== undefined) throw new BadUse(`only options are expected; got ${word}`);
  return { calls: whole('calls', values.calls, CALLS), seed: whole('seed', values.seed, 1) };
}

function whole(name: string, text: string | boolean | undefined, absent: number): number {
  if (text === undefined) return absent;
  if (typeof text === 'string' && /^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new BadUse(`--${name} must be a whole number of at least 1; got ${JSON.stringify(text)}`);
}
