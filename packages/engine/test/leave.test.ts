import { afterEach, expect, it } from 'vitest';
import { Harness, OPEN_POLICY } from './harness.ts';

const CLIENTS = 10;
const WINDOW_MS = 10_000;
const SHARE_MS = WINDOW_MS / CLIENTS;

let harness: Harness;
afterEach(() => harness.stop());

it('sends the clients elsewhere evenly over the window, each at a moment of its own, while the rest goes on', async () => {
  const left: { at: number; code: number }[] = [];
  harness = await Harness.start({
    limits: { pingMs: 0 },
    policy: {
      ...OPEN_POLICY,
      disconnected: (_client, code) => left.push({ at: harness.clock.now() - start, code }),
    },
  });
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => harness.connected()));
  for (const client of clients) await client.request({ subscribe: { channel: 'news' } });
  const start = harness.clock.now();
  const leaving = harness.node.leave(WINDOW_MS);
  expect([harness.node.accepting, harness.node.operational]).toEqual([false, true]);
  await expect(harness.open()).rejects.toThrow('HTTP 503');

  await harness.clock.advance(WINDOW_MS / 2);
  await harness.publish('news', '"still here"');
  const last = clients.at(-1);
  expect((await last?.push())?.pub?.offset).toBe(1);

  for (let second = 0; second < WINDOW_MS / 2; second += SHARE_MS) await harness.clock.advance(SHARE_MS);
  await leaving;
  expect(left.map(({ code }) => code)).toEqual(new Array(CLIENTS).fill(3001));
  for (const [index, { at }] of left.entries()) {
    expect(at).toBeGreaterThanOrEqual(index * SHARE_MS - 1);
    expect(at).toBeLessThan((index + 1) * SHARE_MS);
  }
  expect(new Set(left.map(({ at }) => at % SHARE_MS)).size).toBeGreaterThan(1);
  expect(harness.node.operational).toBe(true);
  await harness.node.shutdown();
  expect(harness.node.operational).toBe(false);
});

it('without a window changes nothing', async () => {
  harness = await Harness.start();
  await harness.node.leave(0);
  expect(harness.node.accepting).toBe(true);
});
