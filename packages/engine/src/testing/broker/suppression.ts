import assert from 'node:assert/strict';
import type { PublishOptions } from '../../broker/contract.ts';
import type { ContractCase } from '../contract-case.ts';
import { type BrokerSubject, promise, publish, text } from './subject.ts';

/** Publications that a key or a version suppresses. */
export const SUPPRESSION: readonly ContractCase<BrokerSubject>[] = [
  promise(
    'a repeated idempotency key publishes nothing and answers the first position, until it expires',
    async s => {
      await s.broker.subscribe('c');
      const options = { idempotencyKey: 'k', idempotencyTtlMs: 1000 };
      const first = await publish(s.broker, 'c', 'x', options);
      const second = await publish(s.broker, 'c', 'y', options);
      assert.deepEqual(second, { ...first, suppressed: true });
      assert.equal((await publish(s.broker, 'c', 'z', { ...options, idempotencyKey: 'other' })).offset, 2);
      assert.equal((await publish(s.broker, 'd', 'x', options)).offset, 1);
      await s.advance(2000);
      assert.deepEqual(await publish(s.broker, 'c', 'x', options), {
        ...first,
        offset: 3,
        suppressed: false,
      });
      await s.events.arrived(3);
      assert.equal(s.events.publications.filter(({ channel }) => channel === 'c').length, 3);
    },
  ),
  promise('an idempotency key works without history', async s => {
    await s.broker.subscribe('c');
    const options = { idempotencyKey: 'k', stream: { size: 0, ttlMs: 0 } };
    await publish(s.broker, 'c', 'x', options);
    assert.equal((await publish(s.broker, 'c', 'x', options)).suppressed, true);
    await s.events.arrived(1);
    assert.equal(s.events.publications.length, 1);
  }),
  promise('a version that is not newer is suppressed; unversioned publishes keep the stored one', async s => {
    const versioned = (version: number, versionEpoch = '') =>
      publish(s.broker, 'c', String(version), { version, versionEpoch });
    assert.deepEqual([(await versioned(5)).offset, (await versioned(5)).suppressed], [1, true]);
    const stale = await versioned(4);
    assert.deepEqual([stale.offset, stale.suppressed], [1, true]);
    assert.equal((await publish(s.broker, 'c', 'x')).offset, 2);
    assert.equal((await versioned(5)).suppressed, true);
    assert.equal((await versioned(6)).offset, 3);
    assert.equal((await versioned(1, 'new')).offset, 4);
    assert.equal((await versioned(1, 'new')).suppressed, true);
    assert.equal((await versioned(2, 'newer')).offset, 5);
  }),
  promise(
    'a version counts without history too, beside a key, and among publications that are kept',
    async s => {
      await s.broker.subscribe('c');
      const passing = (version: number, options: PublishOptions = {}) =>
        publish(s.broker, 'c', String(version), { version, stream: { size: 0, ttlMs: 0 }, ...options });
      assert.deepEqual(await passing(5), { offset: 0, epoch: '', suppressed: false });
      assert.deepEqual(await passing(5), { offset: 0, epoch: '', suppressed: true });
      assert.equal((await passing(6, { idempotencyKey: 'k' })).suppressed, false);
      assert.equal((await passing(7, { idempotencyKey: 'k' })).suppressed, true);
      assert.equal((await passing(4, { idempotencyKey: 'other' })).suppressed, true);
      assert.equal((await publish(s.broker, 'c', '6', { version: 6 })).suppressed, true);
      assert.deepEqual(
        [(await publish(s.broker, 'c', '7', { version: 7 })).offset, (await passing(7)).suppressed],
        [1, true],
      );
      await s.events.arrived(3);
      assert.deepEqual(
        s.events.publications.map(({ publication }) => text(publication)),
        ['5', '6', '7'],
      );
    },
  ),
  promise('a stored version lasts as long as the metadata, without history too', async s => {
    const stream = { size: 0, ttlMs: 0, metaTtlMs: 1000 };
    await publish(s.broker, 'c', 'x', { version: 5, stream });
    await s.advance(2000);
    assert.equal((await publish(s.broker, 'c', 'y', { version: 5, stream })).suppressed, false);
  }),
];
