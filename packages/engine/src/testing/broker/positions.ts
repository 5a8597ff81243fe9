import assert from 'node:assert/strict';
import type { StreamPosition } from '../../broker/contract.ts';
import type { ContractCase } from '../contract-case.ts';
import { APPENDING, append } from './append-requests.ts';
import { type BrokerSubject, META_TTL_MS, promise, publish, publishMany } from './subject.ts';

/** Positions that a broker has at hand, as a subscribe takes them. */
export const POSITIONS: readonly ContractCase<BrokerSubject>[] = [
  promise('a position at hand is that of a read, and knows each answered publish', async s => {
    const absent = await positionOf(s);
    assert.deepEqual([absent.offset, await read(s)], [0, absent]);
    const first = await publish(s.broker, 'c', 'x');
    assert.deepEqual(atHand(s), { offset: 1, epoch: first.epoch });
    for (let offset = 2; offset <= 50; offset++) {
      await publish(s.broker, 'c', String(offset));
      assert.deepEqual(atHand(s), { offset, epoch: first.epoch });
    }
    assert.deepEqual(await read(s), { offset: 50, epoch: first.epoch });
  }),
  promise('a position at hand is never that of a stream that was removed, or has another epoch', async s => {
    await publishMany(s.broker, 'c', 3);
    const { epoch } = await positionOf(s);
    await s.broker.renewEpoch('c', epoch);
    const renewed = await positionOf(s);
    assert.notEqual(renewed.epoch, epoch);
    assert.deepEqual(renewed, await read(s));
    await s.broker.removeStream('c');
    const anew = await positionOf(s);
    assert.deepEqual([anew.offset, await read(s)], [0, anew]);
    assert.notEqual(anew.epoch, renewed.epoch);
    await publish(s.broker, 'c', 'x');
    await s.broker.removeStream('c');
    await publishMany(s.broker, 'c', 2);
    assert.deepEqual(await positionOf(s), await read(s));
  }),
  promise('what is asked for its position lives, and what is not ends', async s => {
    await publish(s.broker, 'c', 'x');
    const { epoch } = await positionOf(s);
    for (let n = 0; n < 10; n++) {
      await s.advance(META_TTL_MS / 3);
      assert.deepEqual(await positionOf(s), { offset: 1, epoch });
    }
    await s.advance(2 * META_TTL_MS);
    const anew = await positionOf(s);
    assert.notEqual(anew.epoch, epoch);
    assert.deepEqual(anew, await read(s));
  }),
  promise('dropped items leave the position', async s => {
    await publishMany(s.broker, 'c', 3);
    const before = await positionOf(s);
    await s.broker.removeHistory('c');
    assert.deepEqual([await positionOf(s), await read(s)], [before, before]);
  }),
  promise('a channel with a message that grows has to be read', async s => {
    await publish(s.broker, 'c', 'x', { stream: APPENDING });
    await positionOf(s);
    await append(s, 1, ['a']);
    assert.equal(s.broker.position?.('c'), null);
  }),
];

/** The position at hand after a read at the latest. */
async function positionOf(s: BrokerSubject): Promise<StreamPosition> {
  const position = s.broker.position?.('c') ?? (await read(s));
  assert.deepEqual(atHand(s), position);
  return position;
}

function atHand({ broker }: BrokerSubject): StreamPosition {
  const position = broker.position?.('c');
  assert.ok(position, 'the broker does not have the position at hand');
  return position;
}

async function read({ broker }: BrokerSubject): Promise<StreamPosition> {
  const { offset, epoch } = await broker.history('c', { limit: 0 }, META_TTL_MS);
  return { offset, epoch };
}
