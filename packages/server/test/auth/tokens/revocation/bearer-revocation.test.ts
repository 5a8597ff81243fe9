import { ManualClock } from '@msg/foundation/clock/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { VerifiedToken } from '#src/auth/tokens/claims.ts';
import { BearerRevocation } from '#src/auth/tokens/revocation/bearer-revocation.ts';
import type { RevocationStore } from '#src/auth/tokens/revocation/contract.ts';
import { MemoryRevocationStore } from '#src/auth/tokens/revocation/memory.ts';
import { Revocations } from '#src/auth/tokens/revocation/revocations.ts';

const DAY = 24 * 3_600_000;
const bearer = (jti: string, sub = 'ops') =>
  new VerifiedToken({ sub, typ: 'mgmt', iat: 0, exp: 4e9, jti }, 'k', 'f');

describe('management bearers and a store that other nodes write to', () => {
  let clock: ManualClock;
  let memory: MemoryRevocationStore;
  let lookups: number;
  let isBroken: boolean;
  let version: number;
  let revocations: Revocations;
  let bearers: BearerRevocation;

  beforeEach(() => {
    clock = new ManualClock();
    memory = new MemoryRevocationStore(clock);
    lookups = 0;
    isBroken = false;
    version = 7;
    const store: RevocationStore = {
      shared: true,
      get version() {
        return version;
      },
      revokeToken: (...args) => memory.revokeToken(...args),
      revokeUser: (...args) => memory.revokeUser(...args),
      async lookup(...args) {
        lookups++;
        if (isBroken) throw new Error('gone');
        return memory.lookup(...args);
      },
    };
    revocations = new Revocations(store, clock);
    bearers = new BearerRevocation(revocations, clock);
  });

  test('an answer is good for four seconds, so a revocation of another node counts within five', async () => {
    expect(await bearers.isRevoked(bearer('a'))).toBe(false);
    await memory.revokeToken('a', '', DAY);
    await clock.advance(4000);
    expect(bearers.isRevoked(bearer('a'))).toBe(false);
    expect(lookups).toBe(1);
    await clock.advance(1);
    expect(await bearers.isRevoked(bearer('a'))).toBe(true);
    expect(bearers.isRevoked(bearer('a'))).toBe(true);
    expect(lookups).toBe(2);
  });

  test('a wall clock that is set back makes no answer live longer', async () => {
    expect(await bearers.isRevoked(bearer('a'))).toBe(false);
    await memory.revokeToken('a', '', DAY);
    clock.jump(-3_600_000);
    await clock.advance(4001);
    expect(await bearers.isRevoked(bearer('a'))).toBe(true);
  });

  test('a revocation of this node counts at once, also for a question under way', async () => {
    expect(await bearers.isRevoked(bearer('a'))).toBe(false);
    const asked = bearers.isRevoked(bearer('b'));
    await revocations.revokeToken('b');
    await revocations.revokeToken('a');
    await asked;
    expect(await bearers.isRevoked(bearer('a'))).toBe(true);
    expect(await bearers.isRevoked(bearer('b'))).toBe(true);
  });

  test('a revocation by another thread of this node counts at once, also for a question under way', async () => {
    expect(await bearers.isRevoked(bearer('a'))).toBe(false);
    const asked = bearers.isRevoked(bearer('b'));
    await memory.revokeToken('a', '', DAY);
    await memory.revokeToken('b', '', DAY);
    version++;
    await asked;
    expect(await bearers.isRevoked(bearer('a'))).toBe(true);
    expect(await bearers.isRevoked(bearer('b'))).toBe(true);
  });

  test('bearers without id are told apart by subject and birth', async () => {
    const idToken = (sub: string, iat: number) =>
      new VerifiedToken({ sub, typ: 'mgmt', iat, exp: 4e9 }, 'k', '');
    await memory.revokeUser('ann', 100_000, DAY);
    for (let round = 0; round < 2; round++) {
      expect(await bearers.isRevoked(idToken('ann', 100))).toBe(true);
      expect(await bearers.isRevoked(idToken('ann', 101))).toBe(false);
      expect(await bearers.isRevoked(idToken('bob', 100))).toBe(false);
    }
    expect(lookups).toBe(3);
  });

  test('a store that does not answer refuses, and is asked again by the next call', async () => {
    isBroken = true;
    await expect(bearers.isRevoked(bearer('a'))).rejects.toMatchObject({ code: 'MSG_INTERNAL' });
    isBroken = false;
    expect(await bearers.isRevoked(bearer('a'))).toBe(false);
  });

  test('as many bearers are remembered as are of use, the oldest answers go', async () => {
    for (let serial = 0; serial <= 4096; serial++) await bearers.isRevoked(bearer(String(serial)));
    const before = lookups;
    expect(bearers.isRevoked(bearer('4096'))).toBe(false);
    await bearers.isRevoked(bearer('0'));
    expect(lookups).toBe(before + 1);
  });
});

test('a store in memory answers at once, and nothing is remembered', async () => {
  const clock = new ManualClock();
  const revocations = new Revocations(new MemoryRevocationStore(clock), clock);
  const bearers = new BearerRevocation(revocations, clock);
  expect(bearers.isRevoked(bearer('a'))).toBe(false);
  await revocations.revokeToken('a');
  expect(bearers.isRevoked(bearer('a'))).toBe(true);
});
