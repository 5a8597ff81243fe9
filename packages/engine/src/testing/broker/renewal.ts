import assert from 'node:assert/strict';
import type { ContractCase } from '../contract-case.ts';
import {
  type BrokerSubject,
  EVERYTHING,
  META_TTL_MS,
  offsets,
  promise,
  publish,
  publishMany,
} from './subject.ts';

/** Nodes that may find the same loss at once. */
const NODES = 8;

/** New epochs of streams that have lost publications. */
export const RENEWAL: readonly ContractCase<BrokerSubject>[] = [
  promise('a stream gets a new epoch only if it has the one that was seen', async s => {
    const { epoch } = await publish(s.broker, 'c', 'x');
    for (const other of ['', 'other', epoch.toLowerCase() + epoch]) {
      await s.broker.renewEpoch('c', other);
      assert.equal(await epochOf(s), epoch, `renewed for '${other}'`);
    }
    await s.broker.renewEpoch('c', epoch);
    const renewed = await epochOf(s);
    assert.notEqual(renewed, epoch);
    assert.notEqual(renewed, '');
    await s.broker.renewEpoch('c', epoch);
    assert.equal(await epochOf(s), renewed);
  }),
  promise('offsets go on under a new epoch, and what is retained stays', async s => {
    await publishMany(s.broker, 'c', 3);
    const epoch = await epochOf(s);
    await s.broker.renewEpoch('c', epoch);
    const renewed = await s.broker.history('c', EVERYTHING, META_TTL_MS);
    assert.deepEqual([offsets(renewed.publications), renewed.offset], [[1, 2, 3], 3]);
    const next = await publish(s.broker, 'c', 'next');
    assert.deepEqual(next, { offset: 4, epoch: renewed.epoch, suppressed: false });
    await s.events.arrived(4);
    const positions = s.events.publications.map(({ position }) => position);
    assert.deepEqual(positions.slice(2), [
      { offset: 3, epoch },
      { offset: 4, epoch: renewed.epoch },
    ]);
  }),
  promise('a position of before a new epoch does not continue', async s => {
    await publishMany(s.broker, 'c', 3);
    const epoch = await epochOf(s);
    const continues = async (offset: number, from: string): Promise<boolean> => {
      const filter = { limit: -1, since: { offset, epoch: from } };
      const read = await s.broker.history('c', filter, META_TTL_MS);
      const [first = offset + 1] = offsets(read.publications);
      return read.epoch === from && first === offset + 1;
    };
    assert.deepEqual([await continues(2, epoch), await continues(3, epoch)], [true, true]);
    await s.broker.renewEpoch('c', epoch);
    assert.deepEqual([await continues(2, epoch), await continues(3, epoch)], [false, false]);
    await publish(s.broker, 'c', 'next');
    assert.deepEqual([await continues(3, epoch), await continues(4, epoch)], [false, false]);
    assert.equal(await continues(3, await epochOf(s)), true);
  }),
  promise('of renewals at the same time one gives the new epoch', async s => {
    const { epoch } = await publish(s.broker, 'c', 'x');
    const seen = await Promise.all(
      Array.from({ length: NODES }, async () => {
        await s.broker.renewEpoch('c', epoch);
        return epochOf(s);
      }),
    );
    assert.notEqual(seen[0], epoch);
    assert.equal(new Set(seen).size, 1, `epochs ${seen}`);
    assert.equal(await epochOf(s), seen[0]);
  }),
  promise('an absent stream gets no epoch', async s => {
    for (const seen of ['', 'seen']) await s.broker.renewEpoch('c', seen);
    const { offset, epoch } = await s.broker.history('c', { limit: 0, peek: true }, META_TTL_MS);
    assert.deepEqual({ offset, epoch }, { offset: 0, epoch: '' });
  }),
];

async function epochOf({ broker }: BrokerSubject): Promise<string> {
  return (await broker.history('c', { limit: 0 }, META_TTL_MS)).epoch;
}
