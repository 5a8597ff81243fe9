import { describe, expect, it } from 'vitest';
import { type CommittedRow, faultsOf, hasAll } from './oracle.ts';

const row = (n: number, over: Partial<CommittedRow> = {}): CommittedRow => ({
  n,
  channel: 'public:shop.counted.c0',
  session: n,
  position: n,
  begunUs: 0,
  committedUs: 0,
  ...over,
});
const judge = (rows: readonly CommittedRow[], numbers: readonly number[], channel = rows[0]?.channel ?? '') =>
  faultsOf(rows, { listener: 'a', channel, numbers }).map(fault => fault.replace(/^[^:]+:[^:]+: /, ''));

describe('the oracle of the kill proof', () => {
  const rows = [row(1), row(2), row(3)];

  it('is content with what was committed, in its order', () => {
    expect(judge(rows, [1, 2, 3])).toEqual([]);
  });

  it.each([
    ['a lost one', [1, 3], '1 lost: 2'],
    ['a phantom', [1, 2, 9, 3], '1 phantom: 9'],
    ['a doubled one', [1, 2, 2, 3], '1 doubled: 2'],
    ['another order than that of the locks', [2, 1, 3], '1 out of order: 1'],
  ])('finds %s', (_, numbers, fault) => {
    expect(judge(rows, numbers)).toEqual([fault]);
  });

  it('asks of a plain channel the order of each session', () => {
    const channel = 'public:shop.plain.c0';
    const plain = [1, 2, 3].map(n => row(n, { channel, session: n % 2, position: 9 - n }));
    expect(judge(plain, [2, 1, 3])).toEqual([]);
    expect(judge(plain, [3, 2, 1])).toEqual(['1 out of order: 1']);
  });

  it('asks of every channel that what was committed before another began comes before it', () => {
    const channel = 'public:shop.plain.c0';
    const times = [
      row(1, { channel, committedUs: 5 }),
      row(2, { channel, begunUs: 2_000_000, committedUs: 3_000_000 }),
    ];
    expect(judge(times, [1, 2])).toEqual([]);
    expect(judge(times, [2, 1])).toEqual(['1 before what was committed earlier: 2']);
  });

  it('waits for as many as were committed', () => {
    const heard = (numbers: readonly number[]) => [
      { listener: 'a', channel: 'public:shop.counted.c0', numbers },
    ];
    expect(hasAll(rows, heard([1, 2]))).toBe(false);
    expect(hasAll(rows, heard([1, 2, 3]))).toBe(true);
  });
});
