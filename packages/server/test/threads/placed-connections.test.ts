import { expect, test } from 'vitest';
import { PlacedConnections } from '#src/threads/placed-connections.ts';
import { ThreadTable } from '#src/threads/thread-table.ts';

function threadsOf(count: number) {
  const table = new ThreadTable();
  const placed = new PlacedConnections();
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  for (const number of numbers) placed.begin(number, table.row(number));
  /** The thread takes what was handed to it. */
  const take = (number: number): void => {
    table.row(number).took();
    table.row(number).opened();
  };
  return { table, placed, numbers, take };
}

test('the thread with the fewest connections gets the next one, those on their way included; equal ones take turns', () => {
  const { table, placed, numbers, take } = threadsOf(3);
  expect([1, 2, 3, 4, 5, 6].map(() => placed.choose(numbers))).toEqual([1, 2, 3, 1, 2, 3]);
  expect(placed.onTheWay(2)).toBe(2);
  for (const number of numbers) for (let n = 0; n < 2; n++) take(number);
  expect(placed.onTheWay(2)).toBe(0);
  table.row(2).closed();
  table.row(2).closed();
  expect([1, 2, 3].map(() => placed.choose(numbers))).toEqual([2, 2, 3]);
});

test('a thread outside the list gets no connection; an empty list chooses no thread', () => {
  const { placed } = threadsOf(3);
  expect([1, 2, 3].map(() => placed.choose([3]))).toEqual([3, 3, 3]);
  expect(placed.choose([])).toBeUndefined();
});

test('a thread that starts again has nothing, and a connection that could not be handed over does not count', () => {
  const { table, placed, numbers } = threadsOf(2);
  for (let n = 0; n < 10; n++) placed.choose(numbers);
  table.row(1).clear();
  placed.begin(1, table.row(1));
  expect(placed.onTheWay(1)).toBe(0);
  placed.choose([1]);
  placed.giveBack(1);
  expect(placed.onTheWay(1)).toBe(0);
});

test('20,000 connections that come and go at random are within 10 % of the mean on every thread', () => {
  const { table, placed, numbers } = threadsOf(4);
  let seed = 7;
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return seed / 0x7fffffff;
  };
  const open: number[] = [];
  for (let n = 0; n < 20_000; n++) {
    const number = placed.choose(numbers);
    if (number === undefined) throw new Error('every thread can be chosen');
    table.row(number).took();
    table.row(number).opened();
    open.push(number);
    if (random() < 0.4) {
      const [gone = 0] = open.splice(Math.floor(random() * open.length), 1);
      table.row(gone).closed();
    }
    const mean = open.length / 4;
    if (mean < 1000) continue;
    for (const each of numbers) expect(Math.abs(table.row(each).open - mean)).toBeLessThanOrEqual(mean / 10);
  }
});
