import { readdir, readFile } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ProcessFigures } from './last-minute.ts';

const RESOLUTION_MS = 20;
const NS_PER_MS = 1e6;

/** The event loop and the processor time of this process. */
export function processFigures(): ProcessFigures {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  return {
    watch(on) {
      if (on) delays.enable();
      else delays.disable();
      delays.reset();
    },
    lag() {
      // A histogram without values has no percentile.
      const ms = delays.count === 0 ? 0 : delays.percentile(99) / NS_PER_MS - RESOLUTION_MS;
      delays.reset();
      return Math.max(0, ms);
    },
    cpuMs() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
  };
}

/** File descriptors in use, and how many there may be; 0 where the system does not tell. */
export async function fileDescriptors(): Promise<{ readonly open: number; readonly most: number }> {
  const [open, limits] = await Promise.all([
    readdir('/proc/self/fd').catch(() => []),
    readFile('/proc/self/limits', 'utf8').catch(() => ''),
  ]);
  const most = /^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? '0';
  return { open: open.length, most: Number(most) };
}
