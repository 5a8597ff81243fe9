import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, it } from 'vitest';
import { Flights } from '#src/data/flights.ts';
import { RowStore } from '#src/data/row-store.ts';
import { Slots } from '#src/data/slots.ts';
import { DashError } from '#src/errors.ts';

const rows = (count: number, text = '') => ({
  data: { columns: ['a'], rows: Array.from({ length: count }, (_, index) => ({ a: `${text}${index}` })) },
  tookMs: 1,
});
const failure = { error: new DashError('QUERY_FAILED', 'The source failed; try again.') };
const never = new AbortController().signal;

describe('turns of queries', () => {
  it('are four of a connection and 32 of all, the others in their order', async () => {
    const slots = new Slots();
    const taken = Array.from({ length: 4 }, () => slots.take('a', never)) as (() => void)[];
    expect(taken.every(turn => typeof turn === 'function')).toBe(true);
    const order: string[] = [];
    const fifth = Promise.resolve(slots.take('a', never)).then(back => order.push('fifth') && back);
    const sixth = Promise.resolve(slots.take('a', never)).then(back => order.push('sixth') && back);
    expect(typeof slots.take('b', never)).toBe('function');
    taken[0]?.();
    taken[0]?.(); // a turn is given back once
    await fifth;
    expect(order).toEqual(['fifth']);
    taken[1]?.();
    await sixth;
    for (let name = 0; name < 27; name++) expect(typeof slots.take(`c${name}`, never)).toBe('function');
    expect(slots.take('d', never)).toBeInstanceOf(Promise);
  });

  it('are refused with QUERY_BUSY when 200 wait, and a query that is not wanted leaves its place', async () => {
    const slots = new Slots();
    for (let turn = 0; turn < 4; turn++) slots.take('a', never);
    const ending = new AbortController();
    const waiting = Promise.resolve(slots.take('a', ending.signal));
    for (let turn = 0; turn < 199; turn++) void slots.take('a', never);
    expect(() => slots.take('a', never)).toThrow(expect.objectContaining({ code: 'QUERY_BUSY' }));
    ending.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'QUERY_BUSY' });
    expect(slots.take('a', never)).toBeInstanceOf(Promise);
  });
});

describe('work under way', () => {
  it('is shared, and ends when the last who waits has left', () => {
    const flights = new Flights<string>();
    const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
    const end = new AbortController();
    const result = flights.add('q', new Promise(() => {}), end, first.signal);
    expect(flights.join('q', second.signal)).toBe(result);
    first.abort();
    expect(end.signal.aborted).toBe(false);
    second.abort();
    expect(end.signal.aborted).toBe(true);
    expect(flights.join('q', third.signal)).toBeUndefined();
  });

  it('is not ended by callers that leave after its end, nor while a caller waits that cannot leave', async () => {
    const flights = new Flights<string>();
    const leaving = new AbortController();
    const end = new AbortController();
    await flights.add('q', Promise.resolve('rows'), end, leaving.signal);
    leaving.abort();
    expect(end.signal.aborted).toBe(false);
    const another = new AbortController();
    const ended = new AbortController();
    void flights.add('r', new Promise(() => {}), ended, another.signal);
    void flights.join('r', undefined);
    another.abort();
    expect(ended.signal.aborted).toBe(false);
  });
});

describe('kept rows', () => {
  it('are fresh for as long as their connection says, a failure for a second', async () => {
    const clock = new ManualClock();
    const store = new RowStore(clock);
    store.keep('q 1', 'q', rows(2), 5_000);
    await clock.advance(4_999);
    expect(store.fresh('q 1')).toMatchObject({ ageMs: 4_999 });
    await clock.advance(1);
    expect(store.fresh('q 1')).toBeUndefined();
    store.keep('q 1', 'q', failure, 5_000);
    expect(store.fresh('q 1')).toMatchObject({ outcome: failure });
    expect(store.last('q')).toMatchObject({ ageMs: 5_000 });
    await clock.advance(1_000);
    expect(store.fresh('q 1')).toBeUndefined();
    store.keep('q 1', 'q', failure, 0);
    expect(store.fresh('q 1')).toBeUndefined();
  });

  it('of a span that is over make room for the newest of their query, fresh ones do not', async () => {
    const clock = new ManualClock();
    const store = new RowStore(clock);
    store.keep('q 1', 'q', rows(1_000), 5_000);
    const one = store.bytes;
    store.keep('q 2', 'q', rows(1_000), 5_000);
    expect(store.fresh('q 1')).toBeDefined();
    await clock.advance(5_000);
    store.keep('q 3', 'q', rows(1_000), 5_000);
    expect(store.bytes).toBeLessThanOrEqual(2 * one);
    expect(store.last('q')).toMatchObject({ ageMs: 0 });
  });

  it('take a bounded memory: those asked for longest ago go first, and what is larger is not kept', () => {
    const store = new RowStore(new ManualClock(), 100_000);
    store.keep('a', 'a', rows(300, 'x'.repeat(30)), 5_000);
    store.keep('b', 'b', rows(300, 'x'.repeat(30)), 5_000);
    expect(store.fresh('a')).toBeDefined();
    store.keep('c', 'c', rows(300, 'x'.repeat(30)), 5_000);
    expect(store.fresh('b')).toBeUndefined();
    expect(store.fresh('a')).toBeDefined();
    expect(store.bytes).toBeLessThanOrEqual(100_000);
    store.keep('d', 'd', rows(3_000, 'x'.repeat(30)), 5_000);
    expect(store.fresh('d')).toBeUndefined();
    expect(store.fresh('c')).toBeDefined();
  });
});
