import assert from 'node:assert/strict';
import type { ContractCase } from '../contract-case.ts';
import { APPENDING, append, documentOf, refusalOf, stateOf, storeOf, textOf } from './append-requests.ts';
import { type BrokerSubject, EVERYTHING, META_TTL_MS, promise, publish } from './subject.ts';

const CANCEL = { by: 'ann', reason: 'enough', at: 1_700_000_000_000 };

/** Ends of messages that their producer did not say, and what a window claims (append streams 6 and 11). */
export const APPEND_ENDS: readonly ContractCase<BrokerSubject>[] = [
  promise('a message whose producer says nothing ends once, as orphaned', async s => {
    await s.broker.subscribe('c');
    await append(s, 1, ['a']);
    await s.advance(3000);
    await append(s, 1, []);
    await s.advance(3000);
    assert.equal((await stateOf(s))?.status, 'streaming');
    await s.advance(3000);
    const state = await stateOf(s);
    assert.deepEqual([state?.status, state?.reason], ['failed', 'orphaned']);
    await s.events.appendedCount(2);
    await s.advance(6000);
    const ends = s.events.states.filter(({ state: { ended } }) => ended);
    assert.deepEqual(
      ends.map(({ state: { endedBy } }) => endedBy),
      ['orphan'],
    );
    assert.deepEqual(await refusalOf(append(s, 2, ['b'])), ['closed', { status: 'failed', seq: '1' }]);
  }),
  promise('a read of the channel ends a message that is due', async s => {
    await append(s, 1, ['a'], { channel: 'never-subscribed' });
    await s.advance(6000);
    const read = await s.broker.history('never-subscribed', EVERYTHING, META_TTL_MS);
    assert.deepEqual([read.offset, read.publications.length, read.compacted?.open], [2, 1, null]);
    assert.equal(read.publications[0]?.tags.get('msg-status'), 'failed');
  }),
  promise('a duplicate keeps a message alive, a refused request does not', async s => {
    await append(s, 1, ['a']);
    await s.advance(3000);
    await append(s, 1, ['a']);
    await s.advance(3000);
    assert.equal((await stateOf(s))?.status, 'streaming');
    await refusalOf(append(s, 9, ['x']));
    await s.advance(3000);
    assert.equal((await stateOf(s))?.status, 'failed');
  }),
  promise('a cancel is told with every answer, and ends the message when its producer does not', async s => {
    await append(s, 1, ['a'], { orphanMs: 60_000 });
    const state = await storeOf(s).cancel('c', {}, CANCEL);
    assert.deepEqual([state?.message, state?.cancel, state?.status], ['m', CANCEL, 'streaming']);
    await storeOf(s).cancel('c', { message: 'm' }, { ...CANCEL, by: 'bob' });
    assert.deepEqual((await append(s, 2, ['b'])).cancel, CANCEL);
    await s.advance(3000);
    assert.deepEqual((await append(s, 3, [])).cancel, CANCEL);
    await s.advance(3000);
    const ended = await stateOf(s);
    assert.deepEqual([ended?.status, ended?.reason], ['cancelled', 'cancelled by ann']);
    assert.equal(documentOf(ended)['text'], 'ab');
    const late = await storeOf(s).cancel('c', { message: 'm' }, CANCEL);
    assert.equal(late?.status, 'cancelled');
  }),
  promise('a producer may still append and end after a cancel', async s => {
    await append(s, 1, ['a']);
    await storeOf(s).cancel('c', { message: 'm' }, { ...CANCEL, by: '' });
    const end = await append(s, 2, ['b', { status: 'cancelled', reason: 'as you wish' }]);
    assert.deepEqual([end.status, end.cancel?.reason], ['cancelled', 'enough']);
    assert.equal(await textOf(s), 'ab');
    assert.equal((await stateOf(s))?.reason, 'as you wish');
  }),
  promise('a cancel of an input waits for the message that answers it', async s => {
    assert.equal(await storeOf(s).cancel('c', { input: 'i1' }, CANCEL), null);
    assert.equal(await storeOf(s).cancel('c', { input: 'i1' }, { ...CANCEL, by: 'bob' }), null);
    assert.equal((await append(s, 1, ['a'], { message: 'other', input: 'i2' })).cancel, null);
    await append(s, 2, [{ status: 'complete' }], { message: 'other' });
    assert.deepEqual((await append(s, 1, ['a'], { input: 'i1' })).cancel, CANCEL);
    const state = await storeOf(s).cancel('c', { input: 'i1' }, CANCEL);
    assert.equal(state?.message, 'm');
  }),
  promise(
    'the sink of an ended message is claimed once, and again when its outcome stays unknown',
    async s => {
      const claim = async () => storeOf(s).claimOutcome('c', 'm');
      assert.equal((await refusalOf(claim()))[0], 'not_found');
      await append(s, 1, ['a', { status: 'complete' }]);
      assert.deepEqual([await claim(), await claim()], [null, 'pending']);
      await s.advance(31_000);
      assert.deepEqual([await claim(), await claim()], [null, 'pending']);
      await storeOf(s).storeOutcome('c', 'm', 'sent');
      await s.advance(31_000);
      assert.equal(await claim(), 'sent');
    },
  ),
  promise('a cancel without a message is refused, and so are too many that wait', async s => {
    assert.equal((await refusalOf((async () => storeOf(s).cancel('c', {}, CANCEL))()))[0], 'not_found');
    const unknown = (async () => storeOf(s).cancel('c', { message: 'm' }, CANCEL))();
    assert.equal((await refusalOf(unknown))[0], 'not_found');
    for (let n = 0; n < 64; n++) await storeOf(s).cancel('c', { input: `i${n}` }, CANCEL);
    const tooMany = (async () => storeOf(s).cancel('c', { input: 'one-more' }, CANCEL))();
    assert.equal((await refusalOf(tooMany))[0], 'limited');
  }),
  promise('the window keeps one entry per message and knows which offsets were states', async s => {
    await publish(s.broker, 'c', '1', { stream: APPENDING });
    for (let seq = 1; seq <= 3; seq++) await append(s, seq, ['x']);
    await publish(s.broker, 'c', '2', { stream: APPENDING });
    for (let seq = 4; seq <= 5; seq++) await append(s, seq, ['x']);
    const read = await s.broker.history('c', EVERYTHING, META_TTL_MS);
    assert.deepEqual([read.publications.map(({ offset }) => offset), read.offset], [[1, 5, 7], 7]);
    assert.deepEqual([read.compacted?.priors, read.compacted?.open?.offset], [[0, 1, 5], 7]);
    const after = await s.broker.history('c', { since: { offset: 3, epoch: '' }, limit: -1 }, META_TTL_MS);
    assert.deepEqual(
      [after.publications.map(({ offset }) => offset), after.compacted?.priors],
      [
        [5, 7],
        [1, 5],
      ],
    );
    const newest = await s.broker.history('c', { limit: 1, reverse: true }, META_TTL_MS);
    assert.equal(newest.publications[0]?.offset, 7);
    await append(s, 6, [{ status: 'complete' }]);
    const ended = await s.broker.history('c', EVERYTHING, META_TTL_MS);
    assert.deepEqual([ended.compacted?.priors, ended.compacted?.open], [[0, 1, 5], null]);
    assert.deepEqual(
      ended.publications.map(({ offset }) => offset),
      [1, 5, 8],
    );
  }),
  promise(
    'the open message is neither trimmed nor counted, and a position tells what followed it',
    async s => {
      const stream = { ...APPENDING, size: 2 };
      await append(s, 1, ['x'], { stream });
      for (let n = 0; n < 3; n++) await publish(s.broker, 'c', String(n), { stream });
      const read = await s.broker.history('c', { limit: 0 }, META_TTL_MS);
      assert.deepEqual([read.publications.length, read.offset, read.compacted?.open?.offset], [0, 4, 1]);
      assert.deepEqual(
        read.compacted?.following.map(({ offset }) => offset),
        [3, 4],
      );
      assert.equal(await textOf(s), 'x');
      await s.broker.removeHistory('c');
      assert.equal(await textOf(s), 'x');
    },
  ),
];
