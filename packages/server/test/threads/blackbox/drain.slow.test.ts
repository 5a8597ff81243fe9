import { eventually, RawClient } from '@msg/testkit';
import { expect, test } from 'vitest';
import { startServer } from '../../support/server.ts';
import { seriesOf } from '../../support/threads.ts';

const CLIENTS = 5000;
const AT_ONCE = 100;
const THREADS = 3;
const WINDOW_MS = 4000;

test('a process with three threads drains 5,000 clients over its window, and ends with 0', async () => {
  const server = await startServer({
    args: ['--threads', String(THREADS), '--drain-window', `${WINDOW_MS}ms`],
  });
  try {
    const closes: { readonly code: number; readonly at: number }[] = [];
    for (let count = 0; count < CLIENTS; count += AT_ONCE) {
      const clients = await Promise.all(
        Array.from({ length: AT_ONCE }, () => RawClient.connected(server.websocketUrl)),
      );
      for (const client of clients)
        void client.closed().then(({ code }) => closes.push({ code, at: performance.now() }));
    }
    for (let thread = 1; thread <= THREADS; thread++)
      expect(await seriesOf(server.url, `msg_thread_connections{thread="${thread}"}`)).toBeGreaterThan(
        (CLIENTS / THREADS) * 0.9,
      );
    const begun = performance.now();
    server.kill('SIGTERM');
    expect(await server.exited()).toEqual({ code: 0, signal: null });
    const tookMs = performance.now() - begun;
    await eventually('all are closed', () => closes.length === CLIENTS);
    expect(new Set(closes.map(({ code }) => code))).toEqual(new Set([3001]));
    const at = (part: number): number => (closes[Math.floor(part * (CLIENTS - 1))]?.at ?? 0) - begun;
    console.log(
      `drain: ${CLIENTS} clients on ${THREADS} threads, window ${WINDOW_MS} ms: a quarter after ` +
        `${at(0.25).toFixed(0)} ms, half ${at(0.5).toFixed(0)}, all ${at(1).toFixed(0)}, exit ${tookMs.toFixed(0)}`,
    );
    // Whatever the machine does besides, nothing makes them close before their turn.
    expect(at(0.5)).toBeGreaterThan(WINDOW_MS * 0.25);
    expect(at(1)).toBeGreaterThan(WINDOW_MS * 0.75);
  } finally {
    await server.stop();
  }
});
