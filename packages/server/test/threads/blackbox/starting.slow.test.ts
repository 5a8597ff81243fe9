import { runMsg } from '@msg/testkit';
import { expect, test } from 'vitest';
import { FAULTY_MSG, seriesOf, startFaultyServer } from '../../support/threads.ts';

test('a service starts without a thread that does not come', async () => {
  const server = await startFaultyServer({ args: ['--threads', '2'], env: { FAIL_AT_START: '2' } });
  try {
    expect(server.output().stderr).toContain('not all threads have started');
    expect(await seriesOf(server.url, 'msg_thread_up{thread="1"}')).toBe(1);
    expect(await seriesOf(server.url, 'msg_thread_up{thread="2"}')).toBe(0);
    const restarts = (thread: number) =>
      seriesOf(server.url, `msg_thread_restarts_total{thread="${thread}",cause="error"}`);
    expect(await restarts(2)).toBeGreaterThan(0);
    expect(await restarts(1)).toBe(0);
  } finally {
    await server.stop();
  }
});

test('a service none of whose threads comes ends with 1 and says why each has not come', async () => {
  const env = { FAIL_AT_START: '1,2', FAULTS_PORT: '0' };
  const args = ['serve', '--addr', '127.0.0.1:0', '--threads', '2'];
  const { code, stderr } = await runMsg(args, { program: FAULTY_MSG, env });
  expect(code).toBe(1);
  const reason = 'Error: an injected failure';
  expect(stderr).toContain(
    `MSG_BROKER_INTERNAL: no thread has started within 10 s; thread 1: ${reason}; thread 2: ${reason}`,
  );
});
