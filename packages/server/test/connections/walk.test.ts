import { expect, it } from 'vitest';
import { walk } from '#src/connections/walk.ts';

it.each([
  [0, 0],
  [2000, 0],
  [2001, 1],
  [50_000, 24],
])('%i items are visited once each, with %i turns of the event loop between', async (count, turns) => {
  let taken = 0;
  let inTurn = 0;
  let most = 0;
  const clock = {
    afterTurn: (callback: () => void) => {
      taken += 1;
      inTurn = 0;
      callback();
    },
  };
  const visited: number[] = [];
  await walk(clock as never, Array.from({ length: count }, (_, index) => index).values(), item => {
    visited.push(item);
    most = Math.max(most, ++inTurn);
  });
  expect([visited.length, new Set(visited).size, taken]).toEqual([count, count, turns]);
  expect(most).toBeLessThanOrEqual(2000);
});
