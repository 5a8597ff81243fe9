import assert from 'node:assert/strict';
import type { ContractCase } from '../contract-case.ts';
import { APPENDING, append, refusalOf, stateOf, storeOf, textOf } from './append-requests.ts';
import { type BrokerSubject, EVERYTHING, META_TTL_MS, promise, publish } from './subject.ts';

const CANCEL = { by: 'ann', reason: 'enough', at: 1_700_000_000_000 };
const COMPLETE = { status: 'complete' } as const;

/** Messages of a stream that gets a new epoch: readers recover, producers and sinks go on (append streams 6.4). */
export const APPEND_RENEWAL: readonly ContractCase<BrokerSubject>[] = [
  promise('the open message is still there under a new epoch, and grows', async s => {
    await append(s, 1, ['a']);
    const epoch = await renewed(s);
    assert.equal(await textOf(s), 'a');
    const read = await s.broker.history('c', EVERYTHING, META_TTL_MS);
    assert.deepEqual([read.offset, read.epoch, read.compacted?.open?.offset], [1, epoch, 1]);
    const grown = await append(s, 2, ['b']);
    assert.deepEqual([grown.duplicates, grown.offset, grown.epoch], [0, 2, epoch]);
    await publish(s.broker, 'c', 'between', { stream: APPENDING });
    await append(s, 3, ['c', COMPLETE]);
    const ended = await stateOf(s, 'm');
    assert.deepEqual([ended?.status, await textOf(s)], ['complete', 'abc']);
  }),
  promise('a message that ended before a new epoch has ended', async s => {
    await append(s, 1, ['a', COMPLETE]);
    await append(s, 1, ['b'], { message: 'other' });
    await renewed(s);
    assert.equal((await append(s, 1, ['a', COMPLETE])).duplicates, 2);
    assert.deepEqual(await refusalOf(append(s, 3, ['c'])), ['closed', { status: 'complete', seq: '2' }]);
    assert.deepEqual(
      [(await stateOf(s, 'm'))?.status, (await stateOf(s, 'other'))?.status],
      ['complete', 'streaming'],
    );
    assert.equal((await storeOf(s).cancel('c', { message: 'm' }, CANCEL))?.status, 'complete');
  }),
  promise('the sink of an ended message is claimed once, whatever the epoch', async s => {
    await append(s, 1, ['a', COMPLETE]);
    const claim = async () => storeOf(s).claimOutcome('c', 'm');
    assert.equal(await claim(), null);
    await renewed(s);
    assert.equal(await claim(), 'pending');
    await storeOf(s).storeOutcome('c', 'm', 'sent');
    await renewed(s);
    assert.equal(await claim(), 'sent');
  }),
  promise('a message that is opened under a new epoch outlives the next one', async s => {
    await publish(s.broker, 'c', 'before', { stream: APPENDING });
    await renewed(s);
    await append(s, 1, ['a']);
    await renewed(s);
    await append(s, 2, ['b', COMPLETE]);
    await renewed(s);
    assert.equal((await append(s, 2, ['b', COMPLETE])).duplicates, 2);
    assert.equal(await textOf(s), 'ab');
  }),
];

/** Gives the stream a new epoch. */
async function renewed({ broker }: BrokerSubject): Promise<string> {
  const epochNow = async () => (await broker.history('c', { limit: 0 }, META_TTL_MS)).epoch;
  const seen = await epochNow();
  await broker.renewEpoch('c', seen);
  const epoch = await epochNow();
  assert.notEqual(epoch, seen);
  return epoch;
}
