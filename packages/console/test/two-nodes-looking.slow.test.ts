/** Looking again, on two nodes that share a real Redis. */
process.env['MSG_TEST_CONSOLE_NODES'] = '2';
await import('./looking.slow.test.ts');

export {};
