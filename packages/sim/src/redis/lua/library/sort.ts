import { coreFailure, type LuaError } from '../failure.ts';
import type { LuaTable, Value } from '../value.ts';

/** What a sort compares with, and how it refuses an order that contradicts itself. */
export interface Order {
  isLess(left: Value, right: Value): boolean;
  inconsistent(): LuaError;
}

/** A write of the library: the tables of the library refuse it without a position. */
export function rawSet(table: LuaTable, key: Value, value: Value): void {
  if (table.readonly) throw coreFailure('Attempt to modify a readonly table');
  table.set(key, value);
}

/** The quicksort of Lua (ltablib.c): its comparisons come in the same order, which shows where one has an effect. */
export function sortRange(table: LuaTable, from: number, to: number, order: Order): void {
  let low = from;
  let high = to;
  while (low < high) {
    orderPair(table, low, high, order);
    if (high - low === 1) return;
    const middle = Math.floor((low + high) / 2);
    if (order.isLess(table.get(middle), table.get(low))) swap(table, middle, low);
    else orderPair(table, middle, high, order);
    if (high - low === 2) return;
    const pivot = table.get(middle);
    swap(table, middle, high - 1);
    const split = partition(table, [low, high], pivot, order);
    swap(table, high - 1, split);
    // The smaller half by recursion; the larger one goes on here.
    if (split - low < high - split) {
      sortRange(table, low, split - 1, order);
      low = split + 1;
    } else {
      sortRange(table, split + 1, high, order);
      high = split - 1;
    }
  }
}

function orderPair(table: LuaTable, low: number, high: number, order: Order): void {
  if (order.isLess(table.get(high), table.get(low))) swap(table, low, high);
}

/** Moves what is less than the pivot before the rest, and returns where the rest begins. */
function partition(
  table: LuaTable,
  [low, high]: readonly [number, number],
  pivot: Value,
  order: Order,
): number {
  let left = low;
  let right = high - 1;
  for (;;) {
    left++;
    while (order.isLess(table.get(left), pivot)) {
      if (left > high) throw order.inconsistent();
      left++;
    }
    right--;
    while (order.isLess(pivot, table.get(right))) {
      if (right < low) throw order.inconsistent();
      right--;
    }
    if (right < left) return left;
    swap(table, left, right);
  }
}

function swap(table: LuaTable, left: number, right: number): void {
  const value = table.get(left);
  rawSet(table, left, table.get(right));
  rawSet(table, right, value);
}
