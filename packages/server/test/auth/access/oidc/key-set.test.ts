import { ManualClock } from '@msg/foundation/clock/testing';
import { exportJWK, generateKeyPair, type JWK, jwtVerify, SignJWT } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { ProviderKeys } from '#src/auth/access/oidc/key-set.ts';

interface Pair {
  readonly jwk: JWK;
  readonly token: string;
}

async function pair(kid: string): Promise<Pair> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const token = await new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey);
  return { jwk: { ...(await exportJWK(publicKey)), kid }, token };
}

describe('keys of the identity provider', () => {
  let one: Pair;
  let two: Pair;
  beforeAll(async () => {
    [one, two] = await Promise.all([pair('one'), pair('two')]);
  });

  function keysOver(published: JWK[]) {
    const clock = new ManualClock();
    const state = { published, fetches: 0, failures: 0, down: false };
    const keys = new ProviderKeys({
      clock,
      async fetchKeys() {
        state.fetches++;
        if (state.down) throw new Error('down');
        return { keys: state.published };
      },
      onFailed: () => {
        state.failures++;
      },
    });
    const verifies = (token: string) =>
      jwtVerify(token, keys.resolve).then(
        () => true,
        () => false,
      );
    return { clock, state, verifies };
  }

  test('are fetched once and kept', async () => {
    const { state, verifies } = keysOver([one.jwk]);
    expect(await Promise.all([verifies(one.token), verifies(one.token)])).toEqual([true, true]);
    expect(await verifies(one.token)).toBe(true);
    expect(state.fetches).toBe(1);
  });

  test('are fetched again for an unknown key, at most every 10 s', async () => {
    const { clock, state, verifies } = keysOver([one.jwk]);
    await verifies(one.token);
    state.published = [two.jwk];
    await clock.advance(9_999);
    expect([await verifies(two.token), state.fetches]).toEqual([false, 1]);
    await clock.advance(1);
    expect([await verifies(two.token), state.fetches]).toEqual([true, 2]);
    expect([await verifies(one.token), state.fetches]).toEqual([false, 2]);
  });

  test('stay in use while the provider is down, and it is not asked without end', async () => {
    const { clock, state, verifies } = keysOver([one.jwk]);
    await verifies(one.token);
    state.down = true;
    await clock.advance(11 * 60_000);
    expect(await verifies(one.token)).toBe(true);
    expect(await verifies(two.token)).toBe(false);
    expect([state.fetches, state.failures]).toEqual([2, 1]);
  });

  test('are fetched again after 10 minutes, so that a withdrawn key ends', async () => {
    const { clock, state, verifies } = keysOver([one.jwk]);
    await verifies(one.token);
    state.published = [two.jwk];
    await clock.advance(10 * 60_000 + 1);
    expect(await verifies(one.token)).toBe(false);
  });

  test('a provider that never answered is asked again after 10 s', async () => {
    const { clock, state, verifies } = keysOver([one.jwk]);
    state.down = true;
    expect([await verifies(one.token), await verifies(one.token), state.fetches]).toEqual([false, false, 1]);
    state.down = false;
    await clock.advance(10_000);
    expect(await verifies(one.token)).toBe(true);
  });
});
