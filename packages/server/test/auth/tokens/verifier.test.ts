import { createHmac } from 'node:crypto';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import fc from 'fast-check';
import { importSPKI, jwtVerify, SignJWT } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { parseKeyring } from '#src/auth/keys/document.ts';
import { Keyring } from '#src/auth/keys/keyring.ts';
import type { TokenClaims } from '#src/auth/tokens/claims.ts';
import { InvalidTokenError } from '#src/auth/tokens/invalid-token.ts';
import { TokenSigner } from '#src/auth/tokens/signer.ts';
import { TokenVerifier } from '#src/auth/tokens/verifier.ts';
import { ALGORITHMS, keyringDocument, TestKey } from '../../support/minting.ts';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const VARIANTS = ALGORITHMS.flatMap(alg => [
  { alg, title: 'with the cache', cacheSize: 4096 },
  { alg, title: 'without the cache', cacheSize: 0 },
]);

describe.each(VARIANTS)('verification of $alg $title', ({ alg, cacheSize }) => {
  const key = TestKey.of(alg);
  const second = TestKey.of(alg);
  const foreign = TestKey.of(alg);
  /** A supported algorithm that is not the key's. */
  const another = alg === 'RS256' ? 'HS256' : 'RS256';
  let clock: ManualClock;
  let keyring: Keyring;
  let verifier: TokenVerifier;
  let claims: TokenClaims;

  beforeEach(async () => {
    clock = new ManualClock();
    keyring = await Keyring.open({
      clock,
      random: systemRandom,
      keySet: parseKeyring(keyringDocument(key, second)),
    });
    verifier = new TokenVerifier({ keyring, clock, random: systemRandom, cacheSize });
    const iat = Math.floor(clock.now() / 1000);
    claims = { sub: 'u-1', typ: 'access', chs: ['private:a.b.1'], iat, exp: iat + 300, jti: 'j' };
  });

  const label = (text: string, type: 'access' | 'refresh' | 'mgmt' = 'access') => {
    try {
      verifier.verify(type, text);
      return 'ok';
    } catch (error) {
      if (error instanceof InvalidTokenError) return error.label;
      throw error;
    }
  };

  test('a good token verifies again and again, until the moment after its expiry', async () => {
    const token = key.sign(claims);
    expect(verifier.verify('access', token)).toMatchObject({ kid: key.kid, subject: 'u-1', claims });
    expect(label(token)).toBe('ok');
    expect(label(second.sign(claims))).toBe('ok');
    await clock.advance(300_000);
    expect(label(token)).toBe('ok');
    await clock.advance(1);
    expect(label(token)).toBe('MSG_AUTH_EXPIRED');
  });

  test('only expired is MSG_AUTH_EXPIRED, and no text holds the token', () => {
    const token = key.sign({ ...claims, exp: 1 });
    try {
      verifier.verify('access', token);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'MSG_AUTH_EXPIRED', type: 'access' });
    }
    expect(() => verifier.verify('access', `${token}x`)).toThrow(
      expect.objectContaining({ code: 'MSG_AUTH_DENIED' }),
    );
    expect(() => verifier.verify('access', foreign.sign(claims))).not.toThrow('eyJ');
  });

  test('attacks on header, parts and signature', () => {
    const good = key.sign(claims);
    const [header = '', payload = '', signature = ''] = good.split('.');
    const none = `${encode({ alg: 'none', kid: key.kid, typ: 'JWT' })}.${payload}.`;
    const cases: [string, string, string][] = [
      ['alg none, no signature', none, 'MSG_AUTH_MALFORMED'],
      ['alg none, signed', key.sign(claims, { alg: 'none' }), 'MSG_AUTH_UNSUPPORTED_ALG'],
      ['alg None', key.sign(claims, { alg: 'None' }), 'MSG_AUTH_UNSUPPORTED_ALG'],
      ['another algorithm than the key has', key.sign(claims, { alg: another }), 'MSG_AUTH_UNSUPPORTED_ALG'],
      ['alg HS512', key.sign(claims, { alg: 'HS512' }), 'MSG_AUTH_UNSUPPORTED_ALG'],
      ['no alg', key.sign(claims, { alg: undefined }), 'MSG_AUTH_UNSUPPORTED_ALG'],
      ['alg as list', key.sign(claims, { alg: [alg] }), 'MSG_AUTH_UNSUPPORTED_ALG'],
      ['no kid', key.sign(claims, { kid: undefined }), 'MSG_AUTH_MALFORMED'],
      ['an empty kid', key.sign(claims, { kid: '' }), 'MSG_AUTH_MALFORMED'],
      ['a kid of the object prototype', key.sign(claims, { kid: '__proto__' }), 'MSG_AUTH_INVALID_SIGNATURE'],
      ['an unknown kid', foreign.sign(claims), 'MSG_AUTH_INVALID_SIGNATURE'],
      ['a swapped kid', key.sign(claims, { kid: second.kid }), 'MSG_AUTH_INVALID_SIGNATURE'],
      ['another typ header', key.sign(claims, { typ: 'JWS' }), 'MSG_AUTH_MALFORMED'],
      ['no typ header', key.sign(claims, { typ: undefined }), 'MSG_AUTH_MALFORMED'],
      ['an unknown crit', key.sign(claims, { crit: ['exp'] }), 'MSG_AUTH_MALFORMED'],
      ['an empty text', '', 'MSG_AUTH_MALFORMED'],
      ['two parts', `${header}.${payload}`, 'MSG_AUTH_MALFORMED'],
      ['four parts', `${good}.${signature}`, 'MSG_AUTH_MALFORMED'],
      ['an empty part', `${header}..${signature}`, 'MSG_AUTH_MALFORMED'],
      ['standard base64', `${header}.${payload}=.${signature}`, 'MSG_AUTH_MALFORMED'],
      ['white space', ` ${good}`, 'MSG_AUTH_MALFORMED'],
      [
        'a payload that is no JSON',
        `${header}.${Buffer.from('{').toString('base64url')}.${signature}`,
        'MSG_AUTH_MALFORMED',
      ],
      ['a short signature', `${header}.${payload}.${signature.slice(0, 12)}`, 'MSG_AUTH_INVALID_SIGNATURE'],
      ['a longer signature', `${good}AAAA`, 'MSG_AUTH_INVALID_SIGNATURE'],
      [
        'another spelling of the signature',
        `${good.slice(0, -1)}${respell(good.at(-1) ?? '')}`,
        // The signatures of ES384 fill their letters: the next letter is another signature.
        alg === 'ES384' ? 'MSG_AUTH_INVALID_SIGNATURE' : 'MSG_AUTH_MALFORMED',
      ],
      ['a huge token', `${header}.${'A'.repeat(20_000)}.${signature}`, 'MSG_AUTH_MALFORMED'],
    ];
    expect(cases.map(([title, text]) => [title, label(text)])).toEqual(
      cases.map(([title, , code]) => [title, code]),
    );
  });

  test('an HMAC made with a public text of the key is a bad signature', () => {
    const input = key.sign(claims).split('.').slice(0, 2).join('.');
    for (const secret of [key.kid, keyring.active.material.fingerprint, '']) {
      const forged = createHmac('sha256', secret).update(input).digest('base64url');
      expect(label(`${input}.${forged}`)).toBe('MSG_AUTH_INVALID_SIGNATURE');
    }
  });

  // A secret key has no public half.
  if (alg !== 'HS256') {
    test('an HMAC made with the public key is refused, whatever the header says', () => {
      const payload = encode(claims);
      for (const header of ['HS256', alg]) {
        const input = `${encode({ alg: header, kid: key.kid, typ: 'JWT' })}.${payload}`;
        for (const secret of [key.publicPem, key.publicPem.trim()]) {
          const forged = createHmac('sha256', secret).update(input).digest('base64url');
          expect(label(`${input}.${forged}`)).toMatch(/^MSG_AUTH_(UNSUPPORTED_ALG|INVALID_SIGNATURE)$/);
        }
      }
    });
  }

  test('claims: types, times and kinds', () => {
    const iat = claims.iat;
    const cases: [object, string][] = [
      [{ exp: undefined }, 'MSG_AUTH_MALFORMED'],
      [{ exp: '1' }, 'MSG_AUTH_MALFORMED'],
      [{ sub: 7 }, 'MSG_AUTH_MALFORMED'],
      [{ chs: 'private:a.b.1' }, 'MSG_AUTH_MALFORMED'],
      [{ scopes: [{ pat: 'private:**' }] }, 'MSG_AUTH_MALFORMED'],
      [{ scopes: [{ pat: 'private:**', v: ['subscribe'], deny: 'yes' }] }, 'MSG_AUTH_MALFORMED'],
      [{ typ: undefined }, 'MSG_AUTH_MALFORMED'],
      [{ iat: iat + 31 }, 'MSG_AUTH_NOT_YET_VALID'],
      [{ iat: iat + 30 }, 'ok'],
      [{ typ: 'refresh' }, 'MSG_AUTH_TYPE_MISMATCH'],
      [{ typ: 'mgmt' }, 'MSG_AUTH_TYPE_MISMATCH'],
      [{ typ: 'other' }, 'MSG_AUTH_TYPE_MISMATCH'],
      [{ typ: 'refresh', exp: 1 }, 'MSG_AUTH_EXPIRED'],
      [{ unknown: { nested: true } }, 'ok'],
    ];
    expect(cases.map(([change]) => label(key.sign({ ...claims, ...change })))).toEqual(
      cases.map(([, code]) => code),
    );
  });

  test('a retired key ends its tokens at once, also remembered ones', async () => {
    const token = second.sign(claims);
    expect(label(token)).toBe('ok');
    const verified = verifier.verify('access', token);
    await keyring.retire(second.kid);
    expect(label(token)).toBe('MSG_AUTH_INVALID_SIGNATURE');
    expect(verifier.isKeyLive(verified)).toBe(false);
    expect(label(key.sign(claims))).toBe('ok');
  });

  test('verifying while the ring is swapped sees the old or the new ring, nothing else', async () => {
    const token = second.sign(claims);
    const results: string[] = [];
    const retired = keyring.retire(second.kid);
    for (let turn = 0; turn < 20; turn++) {
      results.push(label(token));
      await Promise.resolve();
    }
    await retired;
    results.push(label(token));
    expect(new Set(results)).toEqual(new Set(['ok', 'MSG_AUTH_INVALID_SIGNATURE']));
    expect(results.indexOf('MSG_AUTH_INVALID_SIGNATURE')).toBeGreaterThan(results.lastIndexOf('ok'));
  });

  test('agrees with jose in both directions', async () => {
    const now = new Date(clock.now());
    const ours = new TokenSigner(keyring, systemRandom).sign(claims).token;
    const verifying = alg === 'HS256' ? key.secret : await importSPKI(key.publicPem, alg);
    const { payload, protectedHeader } = await jwtVerify(ours, verifying, { currentDate: now });
    expect(payload).toEqual(claims);
    expect(protectedHeader).toEqual({ alg, kid: key.kid, typ: 'JWT' });
    const theirs = await new SignJWT({ ...claims })
      .setProtectedHeader({ alg, kid: key.kid, typ: 'JWT' })
      .sign(key.signingKey);
    expect(verifier.verify('access', theirs).claims).toEqual(claims);
  });

  test('one changed character anywhere never verifies', () => {
    const token = key.sign(claims);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...alphabet), (at, letter) => {
        fc.pre(token[at] !== letter);
        expect(label(token.slice(0, at) + letter + token.slice(at + 1))).not.toBe('ok');
      }),
    );
  });
});

/** The next letter of the alphabet: for the last one of a signature it decodes to the same bytes. */
function respell(letter: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet[alphabet.indexOf(letter) ^ 1] ?? '';
}

test('the cache forgets the oldest and keeps no token text', async () => {
  const key = new TestKey();
  const clock = new ManualClock();
  const keyring = await Keyring.open({
    clock,
    random: systemRandom,
    keySet: parseKeyring(keyringDocument(key)),
  });
  const verifier = new TokenVerifier({ keyring, clock, random: systemRandom, cacheSize: 2 });
  const exp = Math.floor(clock.now() / 1000) + 60;
  const tokens = ['a', 'b', 'c'].map(sub => key.sign({ sub, typ: 'access', iat: 0, exp }));
  const [first, , last] = tokens.map(token => verifier.verify('access', token));
  expect(verifier.verify('access', tokens[2] ?? '')).toBe(last);
  expect(verifier.verify('access', tokens[0] ?? '')).not.toBe(first);
});
