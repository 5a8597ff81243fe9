/** Dead letters again, with all in the memory of one node. */
process.env['MSG_TEST_CONSOLE_NODES'] = '1';
await import('./dead-letters.slow.test.ts');

export {};
