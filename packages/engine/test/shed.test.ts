import { afterEach, expect, it } from 'vitest';
import { Harness, OPEN_POLICY } from './harness.ts';

const WINDOW_MS = 4000;

let harness: Harness;
let left: { client: string; code: number; at: number }[];
afterEach(() => harness.stop());

async function start(): Promise<void> {
  left = [];
  harness = await Harness.start({
    limits: { pingMs: 0 },
    policy: {
      ...OPEN_POLICY,
      disconnected: ({ id }, code) => left.push({ client: id, code, at: harness.clock.now() }),
    },
  });
}

/** Ids of so many clients, in the order of their connects. */
async function connect(count: number): Promise<readonly string[]> {
  for (let index = 0; index < count; index++) await harness.connected();
  return Array.from(harness.node.clients(), ({ id }) => id);
}

it('asks those to reconnect that are connected longest, spread over the window, and keeps accepting', async () => {
  await start();
  const ids = await connect(6);
  const begun = harness.clock.now();
  const shedding = harness.node.shed(4, WINDOW_MS);
  for (let second = 0; second < WINDOW_MS; second += 1000) await harness.clock.advance(1000);
  expect(await shedding).toBe(4);
  expect(left.map(({ client }) => client)).toEqual(ids.slice(0, 4));
  expect(left.map(({ code }) => code)).toEqual([3011, 3011, 3011, 3011]);
  for (const [index, { at }] of left.entries()) {
    expect(at - begun).toBeGreaterThanOrEqual(index * 1000 - 1);
    expect(at - begun).toBeLessThan((index + 1) * 1000);
  }
  expect(harness.node.accepting).toBe(true);
});

it('takes no client that has not connected, and none beside those that there are', async () => {
  await start();
  await harness.open();
  await connect(2);
  const shedding = harness.node.shed(10, WINDOW_MS);
  await harness.clock.advance(WINDOW_MS);
  await harness.clock.advance(WINDOW_MS);
  expect(await shedding).toBe(2);
  expect(harness.node.stats().connections).toBe(1);
});

it('ends when the node leaves', async () => {
  await start();
  await connect(4);
  const shedding = harness.node.shed(4, WINDOW_MS);
  await harness.clock.advance(1000);
  const leaving = harness.node.leave(1000);
  for (let second = 0; second < WINDOW_MS; second += 1000) await harness.clock.advance(1000);
  await leaving;
  expect(await shedding).toBeLessThan(4);
  expect(left.filter(({ code }) => code === 3001).length).toBeGreaterThan(0);
});
