import assert from 'node:assert/strict';
import type { ContractCase } from '@msg/engine/testing';
import type { RedemptionStore } from '../auth/tokens/refresh/contract.ts';
import type { TimedSubject } from './timed-subject.ts';

const HOUR = 3_600_000;

function promise(
  name: string,
  holds: ContractCase<TimedSubject<RedemptionStore>>['holds'],
): ContractCase<TimedSubject<RedemptionStore>> {
  return { name, holds };
}

/** What every redemption store does. */
export const REDEMPTION_CONTRACT: readonly ContractCase<TimedSubject<RedemptionStore>>[] = [
  promise('a token is redeemed once, also when asked many times at once', async ({ store, clock }) => {
    const until = clock.now() + HOUR;
    const answers = await Promise.all(Array.from({ length: 10 }, () => store.redeem('a', until)));
    assert.equal(answers.filter(Boolean).length, 1);
    assert.equal(await store.redeem('b', until), true);
    await clock.advance(HOUR - 1);
    assert.equal(await store.redeem('a', until), false);
  }),

  promise('a family is revoked until its time, and never for less than before', async ({ store, clock }) => {
    assert.equal(await store.isFamilyRevoked('f'), false);
    await store.revokeFamily('f', clock.now() + HOUR);
    await store.revokeFamily('f', clock.now() + 1000);
    await clock.advance(HOUR - 1);
    assert.equal(await store.isFamilyRevoked('f'), true);
    assert.equal(await store.isFamilyRevoked('g'), false);
    await clock.advance(2);
    assert.equal(await store.isFamilyRevoked('f'), false);
  }),
];
