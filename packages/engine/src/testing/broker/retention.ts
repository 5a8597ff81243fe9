import assert from 'node:assert/strict';
import type { HistoryFilter } from '../../broker/contract.ts';
import type { ContractCase } from '../contract-case.ts';
import {
  type BrokerSubject,
  EVERYTHING,
  META_TTL_MS,
  offsets,
  promise,
  publish,
  publishMany,
  RETAINED,
} from './subject.ts';

/** Windows, reads, expiry and removal of streams. */
export const RETENTION: readonly ContractCase<BrokerSubject>[] = [
  promise('the window keeps the newest publications', async s => {
    await publishMany(s.broker, 'c', 12, { ...RETAINED, size: 5 });
    const history = await s.broker.history('c', EVERYTHING, META_TTL_MS);
    assert.deepEqual(offsets(history.publications), [8, 9, 10, 11, 12]);
    assert.equal(history.offset, 12);
  }),
  promise('history reads forwards and backwards, from a position, up to a limit', async s => {
    await publishMany(s.broker, 'c', 8, { ...RETAINED, size: 5 });
    const since = (offset: number) => ({ offset, epoch: '' });
    const table: [HistoryFilter, number[]][] = [
      [{ limit: 0 }, []],
      [{ limit: 2 }, [4, 5]],
      [{ limit: -1 }, [4, 5, 6, 7, 8]],
      [{ limit: 2, reverse: true }, [8, 7]],
      [{ limit: -1, since: since(6) }, [7, 8]],
      [{ limit: 1, since: since(5) }, [6]],
      [{ limit: -1, since: since(1) }, [4, 5, 6, 7, 8]],
      [{ limit: -1, since: since(8) }, []],
      [{ limit: -1, since: since(99) }, []],
      [{ limit: -1, since: since(6), reverse: true }, [5, 4]],
      [{ limit: 1, since: since(99), reverse: true }, [8]],
    ];
    for (const [filter, expected] of table) {
      const history = await s.broker.history('c', filter, META_TTL_MS);
      assert.deepEqual(offsets(history.publications), expected, JSON.stringify(filter));
      assert.equal(history.offset, 8);
    }
  }),
  promise('reading an absent stream creates it: the next publish continues its epoch', async s => {
    const absent = await s.broker.history('c', { limit: 0 }, META_TTL_MS);
    assert.equal(absent.offset, 0);
    assert.notEqual(absent.epoch, '');
    const { offset, epoch } = await publish(s.broker, 'c', 'x');
    assert.deepEqual({ offset, epoch }, { offset: 1, epoch: absent.epoch });
  }),
  promise('items expire together after the newest publish; offset and epoch stay', async s => {
    const stream = { ...RETAINED, ttlMs: 2000 };
    const first = await publish(s.broker, 'c', 'a', { stream });
    await s.advance(1200);
    await publish(s.broker, 'c', 'b', { stream });
    await s.advance(1200);
    assert.deepEqual(offsets((await s.broker.history('c', EVERYTHING, META_TTL_MS)).publications), [1, 2]);
    await s.advance(2000);
    const expired = await s.broker.history('c', EVERYTHING, META_TTL_MS);
    assert.deepEqual([expired.publications.length, expired.offset, expired.epoch], [0, 2, first.epoch]);
    assert.equal((await publish(s.broker, 'c', 'c', { stream })).offset, 3);
  }),
  promise('after the meta TTL a new epoch starts', async s => {
    const stream = { size: 10, ttlMs: 1000, metaTtlMs: 2000 };
    const first = await publish(s.broker, 'c', 'a', { stream });
    await s.advance(4000);
    const again = await publish(s.broker, 'c', 'b', { stream });
    assert.equal(again.offset, 1);
    assert.notEqual(again.epoch, first.epoch);
  }),
  promise('removing history keeps the position, removing the stream starts a new epoch', async s => {
    const first = await publish(s.broker, 'c', 'a', { idempotencyKey: 'k' });
    await s.broker.removeHistory('c');
    const emptied = await s.broker.history('c', EVERYTHING, META_TTL_MS);
    assert.deepEqual([emptied.publications.length, emptied.offset, emptied.epoch], [0, 1, first.epoch]);
    await s.broker.removeStream('c');
    const fresh = await publish(s.broker, 'c', 'b');
    assert.equal(fresh.offset, 1);
    assert.notEqual(fresh.epoch, first.epoch);
    await s.broker.removeHistory('unknown');
    await s.broker.removeStream('unknown');
  }),
  promise('channels are independent of each other', async s => {
    await publishMany(s.broker, 'a', 2);
    const { offset, epoch } = await publish(s.broker, 'b', 'x');
    assert.equal(offset, 1);
    assert.notEqual(epoch, (await s.broker.history('a', { limit: 0 }, META_TTL_MS)).epoch);
  }),
];
