// Counts the processes that a test file starts and the time of CPUs that it and they use, for scripts/test-times.ts: one
// line per file in the folder's list.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync, readFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

const list = process.env['MSG_TEST_PROCESSES'];
/** Ticks of the kernel in a second, on every Linux machine. */
const TICKS = 100;

/** Seconds of CPUs that this process has used, and its children that have ended; 0 where the kernel does not tell. */
function cpuSeconds(): number {
  try {
    const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ');
    // After the name: utime, stime, cutime and cstime of proc(5) are fields 14 to 17.
    const times = fields.split(' ').slice(11, 15).map(Number);
    return times.reduce((sum, ticks) => sum + ticks, 0) / TICKS;
  } catch {
    return 0;
  }
}

if (list !== undefined) {
  let started = 0;
  const before = cpuSeconds();
  subscribe('child_process', () => {
    started++;
  });
  afterAll(() => {
    const cpu = cpuSeconds() - before;
    appendFileSync(list, `${JSON.stringify({ file: expect.getState().testPath, started, cpu })}\n`);
  });
}
