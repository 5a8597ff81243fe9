/** A history again, with all in the memory of one node, which is restarted. */
process.env['MSG_TEST_CONSOLE_NODES'] = '1';
await import('./history.slow.test.ts');

export {};
