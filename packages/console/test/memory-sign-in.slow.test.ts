/** Signing in again, with all in the memory of one node. */
process.env['MSG_TEST_CONSOLE_NODES'] = '1';
await import('./sign-in.slow.test.ts');

export {};
