import { expect, test } from 'vitest';
import { runCli } from '../support/cli-io.ts';

const WANTED = 'must be an integer from 1 to 32 or auto';

test.each(['0', '-1', '1.5', '33', 'all', ''])('serve refuses %j threads', async threads => {
  const { code, stderr } = await runCli(['serve', '--addr', '127.0.0.1:0', '--threads', threads]);
  expect(stderr).toContain(`MSG_INVALID_ARGUMENT: --threads ${WANTED}; got "${threads}"`);
  expect(code).toBe(1);
});

test.each(['0', '-1', '1.5', '33', 'all'])('serve refuses MSG_THREADS=%s', async threads => {
  const { code, stderr } = await runCli(['serve', '--addr', '127.0.0.1:0'], {
    env: { MSG_THREADS: threads },
  });
  expect(stderr).toContain(`MSG_INVALID_ARGUMENT: MSG_THREADS ${WANTED}; got "${threads}"`);
  expect(code).toBe(1);
});
