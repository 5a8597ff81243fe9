import { parseArgs } from 'node:util';
import { BadUse, oneOf, unknownOption, whole } from '../cli/arguments.ts';
import { MUTANTS } from '../mutants/mutants.ts';
import { LONGEST_SECONDS } from './plans.ts';
import { type RealStoreKind, STORE_KINDS } from './real-store.ts';

/** What a command line of the bridge asks for. */
export interface BridgeArguments {
  /** Of the first plan that is drawn. */
  readonly seed: number;
  /** What each plan is cut to. */
  readonly seconds: number;
  /** A part of the names of the plans that are played. */
  readonly only: string;
  /** Only those on this store; undefined: all. */
  readonly store: RealStoreKind | undefined;
  /** So many at most. */
  readonly plans: number;
  /** A bug that is planted into the nodes; undefined: none. */
  readonly mutant: string | undefined;
}

/** A plan needs the time to start its processes, to have a fault and to come to rest. */
const LEAST_SECONDS = 10;

const MUTANT_NAMES = MUTANTS.map(({ name }) => name);

const OPTIONS = {
  seed: { type: 'string' },
  seconds: { type: 'string' },
  only: { type: 'string' },
  store: { type: 'string' },
  plans: { type: 'string' },
  mutant: { type: 'string' },
} as const;

/** @throws BadUse */
export function readBridgeArguments(args: readonly string[]): BridgeArguments {
  const { values, positionals } = parsed(args);
  if (positionals.length > 0) throw new BadUse(`only options are expected; got ${positionals.join(' ')}`);
  const seconds = whole('seconds', values.seconds ?? String(LONGEST_SECONDS));
  if (seconds < LEAST_SECONDS || seconds > LONGEST_SECONDS)
    throw new BadUse(`--seconds must be from ${LEAST_SECONDS} to ${LONGEST_SECONDS}; got ${seconds}`);
  const plans = whole('plans', values.plans ?? '1000');
  if (plans === 0) throw new BadUse('--plans must be at least 1; got 0');
  return {
    seed: whole('seed', values.seed ?? '1'),
    seconds,
    only: values.only ?? '',
    store: values.store === undefined ? undefined : oneOf('store', STORE_KINDS, values.store),
    plans,
    mutant: values.mutant === undefined ? undefined : oneOf('mutant', MUTANT_NAMES, values.mutant),
  };
}

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
}

function parsed(args: readonly string[]): ReturnType<typeof parse> {
  try {
    return parse(args);
  } catch (error) {
    throw unknownOption(error, Object.keys(OPTIONS));
  }
}
