import assert from 'node:assert/strict';
import type { ContractCase } from '@msg/engine/testing';
import type { RevocationStore } from '../auth/tokens/revocation/contract.ts';
import type { TimedSubject } from './timed-subject.ts';

const DAY = 24 * 3_600_000;

function promise(
  name: string,
  holds: ContractCase<TimedSubject<RevocationStore>>['holds'],
): ContractCase<TimedSubject<RevocationStore>> {
  return { name, holds };
}

/** What every revocation store does. */
export const REVOCATION_CONTRACT: readonly ContractCase<TimedSubject<RevocationStore>>[] = [
  promise('nothing is revoked at first, and empty ids never are', async ({ store, clock }) => {
    await store.revokeToken('', 'x', DAY);
    await store.revokeUser('', clock.now(), DAY);
    assert.deepEqual(await store.lookup('a', 'u'), { tokenRevoked: false, userCutoff: undefined });
    assert.deepEqual(await store.lookup('', ''), { tokenRevoked: false, userCutoff: undefined });
  }),

  promise(
    'a token stays revoked as long as was asked for, with or without a reason',
    async ({ store, clock }) => {
      await store.revokeToken('a', 'lost', DAY);
      await store.revokeToken('b', '', DAY);
      await clock.advance(DAY - 1);
      assert.equal((await store.lookup('a', '')).tokenRevoked, true);
      assert.equal((await store.lookup('b', 'u')).tokenRevoked, true);
      assert.equal((await store.lookup('c', '')).tokenRevoked, false);
    },
  ),

  promise(
    'what is asked for shorter does not shorten what was asked for before',
    async ({ store, clock }) => {
      await store.revokeUser('u', clock.now(), DAY);
      await store.revokeUser('u', clock.now(), 1000);
      await clock.advance(DAY - 1);
      assert.notEqual((await store.lookup('', 'u')).userCutoff, undefined);
    },
  ),

  promise('the cutoff of a user only moves forward', async ({ store, clock }) => {
    const first = clock.now();
    await store.revokeUser('u', first, DAY);
    await store.revokeUser('u', first - 5000, DAY);
    assert.equal((await store.lookup('a', 'u')).userCutoff, first);
    await store.revokeUser('u', first + 5000, DAY);
    assert.equal((await store.lookup('', 'u')).userCutoff, first + 5000);
    assert.equal((await store.lookup('', 'v')).userCutoff, undefined);
  }),
];
