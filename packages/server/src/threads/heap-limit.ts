import { totalmem } from 'node:os';

const MIB = 1024 * 1024;
/** Of a container's limit, what all heaps together may take. */
const HEAPS = 0.8;
const SHARE_OF_MAIN = 0.25;
const LEAST_OF_MAIN = 256 * MIB;
const LEAST_MB = 96;
/** Three halves of 4 MB. By default V8 lets a half grow to 16 MB, of which a start leaves most behind. */
const YOUNG_MB = 12;

/** The limit of the control group; undefined for one that is not below the memory of the machine. */
export function memoryLimit(): number | undefined {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : undefined;
}

/**
 * Megabytes of the heap of one of so many threads in a container of so many bytes; undefined: V8's own limit. A default heap
 * for each thread exceeds what a container has.
 */
export function heapOfThread(
  limitBytes: number | undefined,
  threads: number,
  flags: readonly string[] = flagsOfProcess(),
): number | undefined {
  // A limit that was given by hand wins.
  if (limitBytes === undefined || flags.some(flag => flag.includes('--max-old-space-size'))) return undefined;
  const main = Math.max(limitBytes * SHARE_OF_MAIN, LEAST_OF_MAIN);
  return Math.max(Math.floor((limitBytes * HEAPS - main) / threads / MIB), LEAST_MB);
}

/** Megabytes of a thread for objects that are young; undefined: V8's own limit. */
export function youngHeapOfThread(flags: readonly string[] = flagsOfProcess()): number | undefined {
  return flags.some(flag => flag.includes('--max-semi-space-size')) ? undefined : YOUNG_MB;
}

function flagsOfProcess(): readonly string[] {
  return [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''];
}
