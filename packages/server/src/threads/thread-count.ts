import { MsgError } from '@msg/core';

/** Most threads of a process: interest in a channel is a mask of 32 bits. */
const MOST_THREADS = 32;
/** Most threads that `auto` gives. */
const MOST_BY_ITSELF = 8;

const MIB = 1024 * 1024;
/** What `auto` leaves to main, and what it counts for each thread. */
const MEMORY_OF_MAIN = 256 * MIB;
const MEMORY_OF_A_THREAD = 128 * MIB;

/** What was asked for: option `threads`. */
export type AskedThreads = number | 'auto';

/** What decides how many threads a process gets. */
export interface Machine {
  /** Cores that this process may run on. */
  readonly parallelism: number;
  /** Cores that its control group may use, such as 1.5; undefined: as many as there are. */
  readonly quota: number | undefined;
  /** Bytes that its control group may use; undefined: no limit is known. */
  readonly memoryBytes: number | undefined;
  /** Connections can be spread over threads here. */
  readonly spreads: boolean;
  /** For the refusal: `24.1.0`, `darwin`. */
  readonly version: string;
  readonly platform: string;
}

/** Why `auto` gave fewer threads than there are cores. */
type FewerThreads = 'quota' | 'memory' | 'cap' | 'platform';

/** How many threads hold connections; 1: main alone. */
export interface ThreadCount {
  readonly threads: number;
  /** Absent: one for each core, or the number that was asked for. */
  readonly reason?: FewerThreads;
}

/**
 * Checks the option; `key` names it in the refusal.
 * @throws MsgError MSG_INVALID_ARGUMENT unless it is `auto` or an integer from 1 to 32
 */
export function requireThreads(asked: unknown, key: string): AskedThreads {
  if (asked === 'auto') return asked;
  if (typeof asked === 'number' && Number.isInteger(asked) && asked >= 1 && asked <= MOST_THREADS)
    return asked;
  const text = `must be an integer from 1 to ${MOST_THREADS} or auto; got ${String(asked)}`;
  throw new MsgError('MSG_INVALID_ARGUMENT', `${key}: ${text}`);
}

/**
 * How many threads a process gets on a machine (threads 1.1).
 * @throws MsgError MSG_INVALID_ARGUMENT for more than one where connections cannot be spread
 */
export function threadCount(asked: AskedThreads, machine: Machine, key: string): ThreadCount {
  if (asked === 'auto') return ownCount(machine);
  if (asked === 1 || machine.spreads) return { threads: asked };
  const { version, platform } = machine;
  const remedy = 'use Node.js 26.10 or newer, or 1';
  throw new MsgError(
    'MSG_INVALID_ARGUMENT',
    `${key}: ${asked}: Node.js ${version} on ${platform} cannot share a listener between threads; ${remedy}`,
  );
}

function ownCount({ parallelism, quota, memoryBytes, spreads }: Machine): ThreadCount {
  const bounds: readonly (readonly [reason: FewerThreads, most: number])[] = [
    ['quota', quota === undefined ? parallelism : Math.floor(quota)],
    ['cap', MOST_BY_ITSELF],
    ['memory', memoryBytes === undefined ? parallelism : threadsIn(memoryBytes)],
    ['platform', spreads ? parallelism : 1],
  ];
  const [reason, most] = bounds.reduce((least, bound) => (bound[1] < least[1] ? bound : least));
  if (most >= parallelism) return { threads: parallelism };
  const threads = Math.max(most, 1);
  return threads === parallelism ? { threads } : { threads, reason };
}

function threadsIn(memoryBytes: number): number {
  return Math.floor((memoryBytes - MEMORY_OF_MAIN) / MEMORY_OF_A_THREAD);
}
