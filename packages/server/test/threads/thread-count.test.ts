import { describe, expect, test } from 'vitest';
import { heapOfThread, youngHeapOfThread } from '#src/threads/heap-limit.ts';
import { type Machine, requireThreads, threadCount } from '#src/threads/thread-count.ts';

const MIB = 1024 * 1024;
const MACHINE: Machine = {
  parallelism: 4,
  quota: undefined,
  memoryBytes: undefined,
  spreads: true,
  version: '24.1.0',
  platform: 'darwin',
};
const auto = (machine: Partial<Machine>) => threadCount('auto', { ...MACHINE, ...machine }, 'server.threads');

describe('how many threads', () => {
  test('auto is one for each core, and fewer for a reason', () => {
    expect(auto({})).toEqual({ threads: 4 });
    expect(auto({ parallelism: 1 })).toEqual({ threads: 1 });
    expect(auto({ parallelism: 16 })).toEqual({ threads: 8, reason: 'cap' });
    expect(auto({ quota: 2.9 })).toEqual({ threads: 2, reason: 'quota' });
    expect(auto({ quota: 0.5 })).toEqual({ threads: 1, reason: 'quota' });
    expect(auto({ quota: 0.5, parallelism: 1 })).toEqual({ threads: 1 });
    expect(auto({ quota: 64 })).toEqual({ threads: 4 });
    expect(auto({ memoryBytes: 512 * MIB })).toEqual({ threads: 2, reason: 'memory' });
    expect(auto({ memoryBytes: 200 * MIB })).toEqual({ threads: 1, reason: 'memory' });
    expect(auto({ spreads: false })).toEqual({ threads: 1, reason: 'platform' });
  });

  test('a number is taken as it is, and refused where connections cannot be spread', () => {
    expect(threadCount(32, MACHINE, 'server.threads')).toEqual({ threads: 32 });
    expect(threadCount(1, { ...MACHINE, spreads: false }, 'server.threads')).toEqual({ threads: 1 });
    expect(() => threadCount(4, { ...MACHINE, spreads: false }, 'server.threads')).toThrow(
      'server.threads: 4: Node.js 24.1.0 on darwin cannot share a listener between threads; use Node.js 26.10 or newer, or 1',
    );
  });

  test.each([0, -1, 1.5, 33, Number.NaN, 'all', '2', null])('%s is not a number of threads', asked => {
    expect(() => requireThreads(asked, 'server.threads')).toThrow(
      `server.threads: must be an integer from 1 to 32 or auto; got ${String(asked)}`,
    );
  });

  test('all heaps together fit into the limit of a container', () => {
    expect(heapOfThread(undefined, 4, [])).toBeUndefined();
    expect(heapOfThread(4096 * MIB, 4, [])).toBe(563);
    expect(heapOfThread(512 * MIB, 4, [])).toBe(96);
    expect(heapOfThread(4096 * MIB, 4, ['--max-old-space-size=512'])).toBeUndefined();
  });

  test('a thread has little memory for young objects, unless a flag says how much', () => {
    expect(youngHeapOfThread(['--enable-source-maps'])).toBe(12);
    expect(youngHeapOfThread(['--max-semi-space-size=16'])).toBeUndefined();
  });
});
