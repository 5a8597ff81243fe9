import { BadUse, mutantOf, oneOf, readOptions, whole } from '../cli/arguments.ts';
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
  const { values, positionals } = readOptions(args, OPTIONS);
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
    mutant: mutantOf(values.mutant),
  };
}
