import { vi } from 'vitest';

/** A viewer again, on two nodes that share a real Redis. */
process.env['MSG_TEST_CONSOLE_NODES'] = '2';
// Two nodes, a store, a proxy and a browser on one machine: beside other work each step takes several times as long.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
await import('./viewer.slow.test.ts');
