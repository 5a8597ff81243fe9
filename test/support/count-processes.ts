// Counts the processes that a test file starts, for scripts/test-times.ts: one line per file in the folder's list.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

const list = process.env['MSG_TEST_PROCESSES'];
if (list !== undefined) {
  let started = 0;
  subscribe('child_process', () => {
    started++;
  });
  afterAll(() => {
    appendFileSync(list, `${JSON.stringify({ file: expect.getState().testPath, started })}\n`);
  });
}
