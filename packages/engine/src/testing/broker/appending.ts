import assert from 'node:assert/strict';
import type { ContractCase } from '../contract-case.ts';
import { APPENDING, append, documentOf, refusalOf, stateOf, storeOf, textOf } from './append-requests.ts';
import { type BrokerSubject, EVERYTHING, META_TTL_MS, promise, publish } from './subject.ts';

/** Requests to append (append streams 3 and 4). */
export const APPENDS: readonly ContractCase<BrokerSubject>[] = [
  promise(
    'a message opens, grows and ends as one publication per request, in the order of offsets',
    async s => {
      await s.broker.subscribe('c');
      const first = await append(s, 1, ['Hel'], { run: 'r1', input: 'i1' });
      const second = await append(s, 2, ['lo', ' wor']);
      const third = await append(s, 4, ['ld', { status: 'complete', reason: 'said' }]);
      assert.deepEqual([first.offset, second.offset, third.offset], [1, 2, 3]);
      assert.deepEqual([first.seq, second.seq, third.seq], [1, 3, 5]);
      assert.deepEqual(
        [first.status, third.status, third.duplicates, third.cancel],
        ['streaming', 'complete', 0, null],
      );
      await s.events.appendedCount(3);
      const states = s.events.states.map(({ state }) => state);
      assert.deepEqual(
        states.map(({ opened, ended, previous }) => [opened, ended, previous !== null]),
        [
          [true, false, false],
          [false, false, true],
          [false, true, true],
        ],
      );
      const documents = states.map(({ publication }) => new TextDecoder().decode(publication.data.bytes));
      assert.deepEqual(documents, [
        '{"id":"m","status":"streaming","run":"r1","input":"i1","text":"Hel"}',
        '{"id":"m","status":"streaming","run":"r1","input":"i1","text":"Hello wor"}',
        '{"id":"m","status":"complete","reason":"said","run":"r1","input":"i1","text":"Hello world"}',
      ]);
      assert.equal(third.size, documents[2]?.length);
      assert.deepEqual(
        states.map(({ publication, position }) => [
          publication.offset,
          position.offset,
          [...publication.tags],
        ]),
        [
          [1, 1, []],
          [2, 2, []],
          [
            3,
            3,
            [
              ['msg-message', 'm'],
              ['msg-status', 'complete'],
            ],
          ],
        ],
      );
    },
  ),
  promise(
    'a repeated request changes nothing and answers the same; a new part of it is applied once',
    async s => {
      await append(s, 1, ['a', 'b']);
      const again = await append(s, 1, ['a', 'b']);
      assert.deepEqual([again.seq, again.duplicates, again.offset], [2, 2, 1]);
      const partly = await append(s, 2, ['b', 'c']);
      assert.deepEqual([partly.seq, partly.duplicates, partly.offset], [3, 1, 2]);
      assert.equal(await textOf(s), 'abc');
      const end = await append(s, 4, [{ status: 'failed', reason: 'no more' }]);
      const repeated = await append(s, 4, [{ status: 'failed', reason: 'no more' }]);
      assert.deepEqual(repeated, { ...end, duplicates: 1 });
    },
  ),
  promise('each refusal says what to do and leaves everything as it was', async s => {
    assert.deepEqual(await refusalOf(append(s, 2, ['b'])), ['not_found', { expected_seq: '1' }]);
    assert.deepEqual(await refusalOf(append(s, 1, [])), ['not_found', { expected_seq: '1' }]);
    assert.equal(await stateOf(s), null);
    await append(s, 1, ['a', 'b']);
    const before = await stateOf(s);
    const documentBefore = documentOf(before);
    const busy = await refusalOf(append(s, 1, ['x'], { message: 'n' }));
    assert.deepEqual(busy, ['busy', { message: 'm' }]);
    assert.deepEqual(await refusalOf(append(s, 4, ['x'])), ['gap', { expected_seq: '3' }]);
    const fenced = await refusalOf(append(s, 3, ['x'], { producer: 'q' }));
    assert.deepEqual(fenced, ['fenced', { producer: 'p', expected_seq: '3' }]);
    const invalid: Parameters<typeof append>[3][] = [
      { format: 'items' },
      { run: 'r' },
      { input: 'i' },
      { orphanMs: 6000 },
    ];
    for (const request of invalid)
      assert.equal((await refusalOf(append(s, 3, ['x'], request)))[0], 'invalid');
    const item = { item: new TextEncoder().encode('1') };
    assert.equal((await refusalOf(append(s, 3, ['x', item])))[0], 'invalid');
    const [large, meta] = await refusalOf(append(s, 3, ['x'.repeat(8192)]));
    assert.deepEqual([large, meta['max_bytes']], ['too_large', '8192']);
    const after = await stateOf(s);
    assert.deepEqual({ ...after, document: null }, { ...before, document: null });
    assert.deepEqual(documentOf(after), documentBefore);
    const { append: _, ...none } = APPENDING;
    assert.equal((await refusalOf(append(s, 3, ['x'], { stream: none as never })))[0], 'invalid');
  }),
  promise('an end always fits, and after it nothing does', async s => {
    await append(s, 1, ['x'.repeat(6000)]);
    const reason = '"'.repeat(256);
    const end = await append(s, 2, [{ status: 'cancelled', reason }]);
    assert.equal(end.status, 'cancelled');
    const closed = ['closed', { status: 'cancelled', seq: '2' }];
    assert.deepEqual(await refusalOf(append(s, 3, ['y'])), closed);
    assert.deepEqual(await refusalOf(append(s, 1, ['y'], { producer: 'q' })), closed);
    const state = await stateOf(s, 'm');
    assert.deepEqual(
      [state?.status, state?.reason, state?.seq, state?.expectedSeq],
      ['cancelled', reason, 2, 3],
    );
    assert.equal(documentOf(state)['reason'], reason);
    assert.equal((await append(s, 1, ['next'], { message: 'n' })).status, 'streaming');
    assert.equal((await stateOf(s))?.message, 'n');
  }),
  promise('a producer takes over after the last number, and the other one is fenced', async s => {
    await append(s, 1, ['a', 'b']);
    const taken = await append(s, 3, ['c'], { producer: 'q', takeOver: true });
    assert.equal(taken.seq, 3);
    const fenced = await refusalOf(append(s, 4, ['x']));
    assert.deepEqual(fenced, ['fenced', { producer: 'q', expected_seq: '4' }]);
    assert.equal((await append(s, 4, ['d'], { producer: 'q' })).seq, 4);
    assert.equal(await textOf(s), 'abcd');
  }),
  promise('empty text and a heartbeat publish nothing', async s => {
    await append(s, 1, ['a']);
    const empty = await append(s, 2, ['']);
    assert.deepEqual([empty.seq, empty.offset], [2, 1]);
    const heartbeat = await append(s, 99, []);
    assert.deepEqual([heartbeat.seq, heartbeat.offset, heartbeat.status], [2, 1, 'streaming']);
  }),
  promise('a request at the same time as another is applied once', async s => {
    const requests = Array.from({ length: 8 }, () => append(s, 1, ['a', 'b']));
    const results = await Promise.all(requests);
    assert.deepEqual(
      results.map(({ seq, offset }) => [seq, offset]),
      new Array(8).fill([2, 1]),
    );
    assert.equal(results.filter(({ duplicates }) => duplicates === 0).length, 1);
    assert.equal(await textOf(s), 'ab');
  }),
  promise('a stream that is removed takes its message along', async s => {
    await append(s, 1, ['a']);
    await s.broker.removeStream('c');
    assert.equal(await stateOf(s), null);
    assert.deepEqual(await refusalOf(append(s, 2, ['b'])), ['not_found', { expected_seq: '1' }]);
    const { offset } = await append(s, 1, ['a', 'b']);
    assert.equal(offset, 1);
  }),
  promise('an ordinary publication between two states takes the base away from both', async s => {
    await s.broker.subscribe('c');
    await publish(s.broker, 'c', '"x"', { stream: APPENDING, delta: true });
    await append(s, 1, ['a']);
    await append(s, 2, ['b']);
    await publish(s.broker, 'c', '"y"', { stream: APPENDING, delta: true });
    await append(s, 3, ['c']);
    await append(s, 4, [{ status: 'complete' }]);
    await publish(s.broker, 'c', '"z"', { stream: APPENDING, delta: true });
    await s.events.appendedCount(4);
    await s.events.arrived(3);
    const bases = s.events.states.map(({ state }) => state.previous !== null);
    assert.deepEqual(bases, [false, true, false, true]);
    assert.deepEqual(
      s.events.publications.map(({ previous }) => previous),
      [null, null, null],
    );
    const read = await s.broker.history('c', EVERYTHING, META_TTL_MS);
    assert.deepEqual(
      read.publications.map(({ offset }) => offset),
      [1, 4, 6, 7],
    );
  }),
  promise('every message is remembered, also when no publication of it is retained', async s => {
    await append(s, 1, ['a', { status: 'complete' }]);
    await s.broker.removeHistory('c');
    const state = await stateOf(s, 'm');
    assert.deepEqual([state?.status, state?.document, state?.seq], ['complete', null, 2]);
    assert.equal(await storeOf(s).state('c', 'unknown'), null);
    assert.equal(await storeOf(s).state('never', null), null);
  }),
];
