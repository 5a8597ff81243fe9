import { describe, expect, test } from 'vitest';
import { VerifiedToken } from '#src/tokens/claims.ts';
import { MemoryRevocationStore } from '#src/tokens/revocation/memory.ts';
import { Revocations } from '#src/tokens/revocation/revocations.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const token = (iat: number, sub = 'u', jti = 'j') =>
  new VerifiedToken({ sub, typ: 'access', iat, exp: iat + 60, jti }, 'k', 'f');

describe('revocations', () => {
  test('without a store nothing is revoked and nothing can be', async () => {
    const revocations = new Revocations(undefined, new FakeClock());
    expect(await revocations.isRevoked(token(0))).toBe(false);
    const refused = { code: 'MSG_INVALID_ARGUMENT', message: 'revocation store not configured' };
    await expect(revocations.revokeToken('j')).rejects.toMatchObject(refused);
    await expect(revocations.revokeUser('u')).rejects.toMatchObject(refused);
  });

  test('revoking a user covers the whole second, and answers after it', async () => {
    const clock = new FakeClock();
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

  test('a store that does not answer is MSG_INTERNAL, never a yes or no', async () => {
    const clock = new FakeClock();
    const store = new MemoryRevocationStore(clock);
    store.lookup = () => Promise.reject(new Error('gone'));
    const revocations = new Revocations(store, clock);
    await expect(revocations.isRevoked(token(0))).rejects.toMatchObject({ code: 'MSG_INTERNAL' });
  });
});
