/** A viewer again, with all in the memory of one node. */
process.env['MSG_TEST_CONSOLE_NODES'] = '1';
await import('./viewer.slow.test.ts');

export {};
