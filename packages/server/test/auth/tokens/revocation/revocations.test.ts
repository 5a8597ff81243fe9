import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, test } from 'vitest';
import { VerifiedToken } from '#src/auth/tokens/claims.ts';
import type { RevocationStore } from '#src/auth/tokens/revocation/contract.ts';
import { MemoryRevocationStore } from '#src/auth/tokens/revocation/memory.ts';
import { Revocations } from '#src/auth/tokens/revocation/revocations.ts';

const token = (iat: number, sub = 'u', jti = 'j') =>
  new VerifiedToken({ sub, typ: 'access', iat, exp: iat + 60, jti }, 'k', 'f');

describe('revocations', () => {
  test('without a store nothing is revoked and nothing can be', async () => {
    const revocations = new Revocations(undefined, new ManualClock());
    expect(await revocations.isRevoked(token(0))).toBe(false);
    const refused = { code: 'MSG_INVALID_ARGUMENT', message: 'revocation store not configured' };
    await expect(revocations.revokeToken('j')).rejects.toMatchObject(refused);
    await expect(revocations.revokeUser('u')).rejects.toMatchObject(refused);
  });

  test('revoking a user covers the whole second, and answers after it', async () => {
    const clock = new ManualClock();
    const revocations = new Revocations(new MemoryRevocationStore(clock), clock);
    await clock.advance(250);
    const second = Math.floor(clock.now() / 1000);
    let answered = false;
    const done = revocations.revokeUser('u').then(() => {
      answered = true;
    });
    await clock.advance(749);
    expect(answered).toBe(false);
    await clock.advance(1);
    await done;
    expect(await revocations.isRevoked(token(second))).toBe(true);
    expect(await revocations.isRevoked(token(second - 100))).toBe(true);
    expect(await revocations.isRevoked(token(Math.floor(clock.now() / 1000)))).toBe(false);
    expect(await revocations.isRevoked(token(second, 'other'))).toBe(false);
    expect(await revocations.isRevoked(token(second, ''))).toBe(false);
  });

  test('revoking a user is answered in time when the wall clock is set back meanwhile', async () => {
    const clock = new ManualClock();
    const revocations = new Revocations(new MemoryRevocationStore(clock), clock);
    let answered = false;
    const done = revocations.revokeUser('u').then(() => {
      answered = true;
    });
    await clock.advance(10);
    clock.jump(-3_600_000);
    await clock.advance(2000);
    expect(answered).toBe(true);
    await done;
  });

  test('a store that does not answer is MSG_INTERNAL, never a yes or no', async () => {
    const clock = new ManualClock();
    const memory = new MemoryRevocationStore(clock);
    const lookups = [
      () => Promise.reject(new Error('gone')),
      () => {
        throw new Error('gone');
      },
    ];
    for (const lookup of lookups) {
      const store: RevocationStore = {
        shared: false,
        revokeToken: (...args) => memory.revokeToken(...args),
        revokeUser: (...args) => memory.revokeUser(...args),
        lookup,
      };
      const revocations = new Revocations(store, clock);
      await expect(async () => revocations.isRevoked(token(0))).rejects.toMatchObject({
        code: 'MSG_INTERNAL',
      });
    }
  });

  test('a revocation outlives every management token, also one of a boot that lives longer', async () => {
    const clock = new ManualClock();
    const revocations = new Revocations(new MemoryRevocationStore(clock), clock);
    await revocations.revokeToken('week');
    await clock.advance(8 * 24 * 3_600_000);
    expect(revocations.isRevoked(token(0, 'u', 'week'))).toBe(true);
    revocations.cover(30 * 24 * 3_600_000);
    await revocations.revokeToken('month');
    await clock.advance(30 * 24 * 3_600_000);
    expect(revocations.isRevoked(token(0, 'u', 'month'))).toBe(true);
    expect(revocations.isRevoked(token(0, 'u', 'week'))).toBe(false);
  });
});
