/**
 * `dashdoc serve` in a process of its own that tells its parent about itself: the longest stall of its main thread since it
 * was last asked, and the memory that it holds.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { main } from '#src/cli/main.ts';

/** What the process answers. */
export interface Meter {
  /** Milliseconds. */
  readonly stall: number;
  /** Bytes of live objects, once nothing more can be collected; 0 without `--expose-gc`. */
  readonly heap: number;
}

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

process.on('message', async () => {
  const stall = delay.max / 1e6;
  const { gc } = globalThis as { gc?: () => void };
  let heap = Number.POSITIVE_INFINITY;
  for (let round = 0; gc !== undefined && round < 5; round++) {
    gc();
    await new Promise(resolve => setTimeout(resolve, 50));
    const { heapUsed, external } = process.memoryUsage();
    heap = Math.min(heap, heapUsed + external);
  }
  delay.reset();
  process.send?.({ stall, heap: gc === undefined ? 0 : heap } satisfies Meter);
});
process.on('disconnect', () => process.exit());

await main(process.argv);
process.disconnect?.();
