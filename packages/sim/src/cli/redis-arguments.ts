import { parseArgs } from 'node:util';
import { REDIS_MUTANTS } from '../mutants/redis.ts';
import { BadUse } from './arguments.ts';
import { nearest } from './nearest.ts';

const OPTIONS = { calls: { type: 'string' }, seed: { type: 'string' }, mutant: { type: 'string' } } as const;
/** Calls of CI. */
const CALLS = 50_000;

/** What a command line of `npm run sim:redis` asks for. */
export interface RedisArguments {
  readonly calls: number;
  readonly seed: number;
  /** A planted bug; undefined: none. */
  readonly mutant: string | undefined;
  /** Compare clusters of three masters, not servers by themselves. */
  readonly isCluster: boolean;
  /** Look for every planted bug, or for this one, and say when it was found. */
  readonly hunts: boolean;
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
  const isKnown = word === undefined || ['mutants', 'cluster'].includes(word);
  if (!isKnown || positionals.length > 1)
    throw new BadUse(
      `only options are expected, or mutants or cluster before them; got ${positionals.join(' ')}`,
    );
  return {
    hunts: word === 'mutants',
    isCluster: word === 'cluster',
    mutant: mutantOf(values.mutant),
    calls: whole('calls', values.calls, CALLS),
    seed: whole('seed', values.seed, 1),
  };
}

function whole(name: string, text: string | boolean | undefined, absent: number): number {
  if (text === undefined) return absent;
  if (typeof text === 'string' && /^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new BadUse(`--${name} must be a whole number of at least 1; got ${JSON.stringify(text)}`);
}

function mutantOf(text: string | boolean | undefined): string | undefined {
  const names = REDIS_MUTANTS.map(({ name }) => name);
  if (text === undefined || names.includes(String(text))) return text === undefined ? text : String(text);
  throw new BadUse(`mutant "${text}" is not known; the nearest is "${nearest(String(text), names)}"`);
}
