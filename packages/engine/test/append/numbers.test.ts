import { AppendRefused } from '@msg/engine';
import { describe, expect, it } from 'vitest';
import { decideByNumbers } from '#src/append/numbers.ts';

const OPEN = { message: 'm', producer: 'p', seq: 10 };
const ENDED = { producer: 'p', seq: 10, status: 'failed' } as const;

function decide(open: typeof OPEN | null, ended: typeof ENDED | null, request: object): unknown {
  try {
    const given = { message: 'm', producer: 'p', seq: 1, count: 1, takeOver: false, ...request };
    return decideByNumbers(open, ended, given);
  } catch (error) {
    if (error instanceof AppendRefused) return [error.kind, error.meta];
    throw error;
  }
}

const grow = (skip: number, takesOver = false) => ({ kind: 'grow', skip, takesOver });

describe('numbers (append streams 4)', () => {
  it.each<[string, object, unknown]>([
    ['the first operation opens', { seq: 1 }, { kind: 'open' }],
    ['a later one finds nothing', { seq: 2 }, ['not_found', { expected_seq: '1' }]],
    ['a heartbeat finds nothing', { count: 0, seq: 1 }, ['not_found', { expected_seq: '1' }]],
  ])('nothing open: %s', (_, request, expected) => {
    expect(decide(null, null, request)).toEqual(expected);
  });

  it.each<[string, object, unknown]>([
    ['another message has to wait', { message: 'n', seq: 1 }, ['busy', { message: 'm' }]],
    ['another message that is lost', { message: 'n', seq: 5 }, ['not_found', { expected_seq: '1' }]],
    ['the next operation', { seq: 11 }, grow(0)],
    ['operations applied before are skipped', { seq: 8, count: 5 }, grow(3)],
    ['all applied before', { seq: 1, count: 10 }, grow(10)],
    ['a gap', { seq: 12 }, ['gap', { expected_seq: '11' }]],
    ['a heartbeat, whatever its number', { seq: 99, count: 0 }, grow(0)],
    ['another producer', { producer: 'q', seq: 11 }, ['fenced', { producer: 'p', expected_seq: '11' }]],
    ['another producer takes over', { producer: 'q', seq: 11, takeOver: true }, grow(0, true)],
    ['with a heartbeat', { producer: 'q', seq: 11, count: 0, takeOver: true }, grow(0, true)],
    [
      'not with an old number',
      { producer: 'q', seq: 10, takeOver: true },
      ['fenced', { producer: 'p', expected_seq: '11' }],
    ],
    ['the same producer takes nothing over', { seq: 11, takeOver: true }, grow(0)],
  ])('a message is open: %s', (_, request, expected) => {
    expect(decide(OPEN, null, request)).toEqual(expected);
  });

  const closed = ['closed', { status: 'failed', seq: '10' }];
  it.each<[string, object, unknown]>([
    ['a repeated end', { seq: 10 }, { kind: 'ended' }],
    ['everything again', { seq: 1, count: 10 }, { kind: 'ended' }],
    ['a heartbeat', { count: 0 }, { kind: 'ended' }],
    ['a newer operation', { seq: 11 }, closed],
    ['partly newer', { seq: 10, count: 2 }, closed],
    ['its id opened again', { producer: 'q', seq: 1 }, closed],
    ['a take-over', { producer: 'q', seq: 11, takeOver: true }, closed],
  ])('the message has ended: %s', (_, request, expected) => {
    expect(decide(null, ENDED, request)).toEqual(expected);
    expect(decide({ ...OPEN, message: 'other' }, ENDED, request)).toEqual(expected);
  });
});
