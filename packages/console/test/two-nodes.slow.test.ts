/** The journeys again, on two nodes that share a real Redis, behind a proxy that hands every request to the next one. */
process.env['MSG_TEST_CONSOLE_NODES'] = '2';
await import('./journeys.slow.test.ts');

export {};
