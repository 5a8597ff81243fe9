const MIB = 1024 * 1024;
/** Of a container's limit, what all heaps together may take. */
const HEAPS = 0.8;
const SHARE_OF_MAIN = 0.25;
const LEAST_OF_MAIN = 256 * MIB;
const LEAST_MB = 96;

/**
 * Megabytes of the heap of one of so many threads in a container of so many bytes; undefined: V8's own limit. A default heap
 * for each thread exceeds what a container has.
 */
export function heapOfThread(
  limitBytes: number | undefined,
  threads: number,
  flags: readonly string[] = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''],
): number | undefined {
  // A limit that was given by hand wins.
  if (limitBytes === undefined || flags.some(flag => flag.includes('--max-old-space-size'))) return undefined;
  const main = Math.max(limitBytes * SHARE_OF_MAIN, LEAST_OF_MAIN);
  return Math.max(Math.floor((limitBytes * HEAPS - main) / threads / MIB), LEAST_MB);
}
