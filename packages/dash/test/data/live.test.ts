import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, it } from 'vitest';
import { AtMostEvery } from '#src/data/at-most-every.ts';
import { Publications } from '#src/data/msg/publications.ts';

describe('the publications of a channel', () => {
  const rowsOf = (publications: Publications) => publications.rows.map(({ value }) => value);

  it('are each there once, in the order of the stream', () => {
    const publications = new Publications(10);
    expect(publications.add({ data: 'a', offset: 1 })).toBe(true);
    expect(publications.add({ data: 'b', offset: 2 })).toBe(true);
    expect(publications.add({ data: 'b', offset: 2 })).toBe(false);
    expect(publications.add({ data: 'a', offset: 1 })).toBe(false);
    expect(rowsOf(publications)).toEqual(['a', 'b']);
  });

  it('without a place are all there', () => {
    const publications = new Publications(10);
    for (const data of ['a', 'a']) publications.add({ data });
    expect(rowsOf(publications)).toEqual(['a', 'a']);
  });

  it('begin anew with another stream, whose places are small again', () => {
    const publications = new Publications(10);
    publications.add({ data: 'old', offset: 100 });
    publications.replace([{ data: 'new', offset: 1 }], 2);
    expect(publications.add({ data: 'in the history', offset: 2 })).toBe(false);
    publications.add({ data: 'newer', offset: 3 });
    expect(rowsOf(publications)).toEqual(['new', 'newer']);
  });

  it('are as many as wanted, and at most 8 MiB', () => {
    const publications = new Publications(3);
    for (let offset = 1; offset <= 5; offset++) publications.add({ data: offset, offset });
    expect(rowsOf(publications)).toEqual([3, 4, 5]);
    const large = 'x'.repeat(3 * 1024 * 1024);
    for (let offset = 6; offset <= 7; offset++) publications.add({ data: large, offset });
    expect(publications.rows).toHaveLength(1);
  });
});

it('changes are told at once, and those of the next second together at its end', async () => {
  const clock = new ManualClock();
  let told = 0;
  const changes = new AtMostEvery(clock, 1_000, () => told++);
  changes.ask();
  expect(told).toBe(1);
  for (let count = 0; count < 10; count++) changes.ask();
  await clock.advance(999);
  expect(told).toBe(1);
  await clock.advance(1);
  expect(told).toBe(2);
  await clock.advance(5_000);
  expect(told).toBe(2);
  changes.ask();
  expect(told).toBe(3);
  changes.ask();
  changes.stop();
  await clock.advance(5_000);
  expect(told).toBe(3);
});
