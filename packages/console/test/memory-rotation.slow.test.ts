/** A rotation again, with all in the memory of one node and its state directory. */
process.env['MSG_TEST_CONSOLE_NODES'] = '1';
await import('./rotation.slow.test.ts');

export {};
