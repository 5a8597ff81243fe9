import { ManualClock } from '@msg/foundation/clock/testing';
import { beforeEach, expect, test } from 'vitest';
import { LineBatch } from '#src/observability/line-batch.ts';

let clock: ManualClock;
let written: string[];
let batch: LineBatch;

beforeEach(() => {
  clock = new ManualClock();
  written = [];
  batch = new LineBatch({ write: lines => written.push(lines) }, clock);
});

test('lines of a short time are written together, in order', async () => {
  batch.write('a\n');
  batch.write('b\n');
  expect(written).toEqual([]);
  await clock.advance(50);
  expect(written).toEqual(['a\nb\n']);
  batch.write('c\n');
  await clock.advance(50);
  expect(written).toEqual(['a\nb\n', 'c\n']);
});

test('much is written at once, and what follows not later than usual', async () => {
  const long = `${'x'.repeat(70_000)}\n`;
  batch.write('a\n');
  batch.write(long);
  expect(written).toEqual([`a\n${long}`]);
  batch.write('b\n');
  await clock.advance(50);
  expect(written).toEqual([`a\n${long}`, 'b\n']);
});

test('a flush leaves nothing behind and no empty write', async () => {
  batch.write('a\n');
  batch.flush();
  batch.flush();
  await clock.advance(1000);
  expect(written).toEqual(['a\n']);
});
