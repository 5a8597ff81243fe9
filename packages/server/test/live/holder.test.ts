import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, it } from 'vitest';
import { parseKeyring } from '#src/auth/keys/document.ts';
import { Keyring } from '#src/auth/keys/keyring.ts';
import { VerifiedToken } from '#src/auth/tokens/claims.ts';
import { TokenVerifier } from '#src/auth/tokens/verifier.ts';
import { HolderCheck, holderOf, ownerOf } from '#src/live/holder.ts';
import { keyringDocument, TestKey } from '../support/minting.ts';

const key = TestKey.of('HS256');
const clock = new ManualClock();
const NOW_S = Math.floor(clock.now() / 1000);

async function verifierOfNode(cacheSize = 4096): Promise<TokenVerifier> {
  const keySet = parseKeyring(keyringDocument(key));
  const keyring = await Keyring.open({ clock, random: systemRandom, keySet });
  return new TokenVerifier({ keyring, clock, random: systemRandom, cacheSize });
}

const mint = (seconds: number): string =>
  key.sign({ sub: 'ann', typ: 'mgmt', iat: NOW_S, exp: NOW_S + seconds });

async function bearer(verifier: TokenVerifier, text: string): Promise<VerifiedToken> {
  const reading = await verifier.readBearer(text, undefined);
  if (reading instanceof VerifiedToken) return reading;
  throw reading;
}

async function owner(verifier: TokenVerifier, text: string, session?: string): Promise<string> {
  const token = await bearer(verifier, text);
  return ownerOf(holderOf({ kind: 'management', token, ...(session === undefined ? {} : { session }) }));
}

describe('the owner of a feed', () => {
  it('is the token, also when another one of the subject began in the same second without a jti', async () => {
    const verifier = await verifierOfNode();
    expect(await owner(verifier, mint(60))).not.toBe(await owner(verifier, mint(61)));
  });

  it('is the same on every node and at every call, with and without the cache of tokens', async () => {
    const text = mint(60);
    const [node, other] = [await verifierOfNode(), await verifierOfNode(0)];
    const [first = '', ...others] = [
      await owner(node, text),
      await owner(node, text),
      await owner(other, text),
    ];
    expect(others).toEqual([first, first]);
    expect(first).not.toBe('');
    expect(text).not.toContain(first);
  });

  it('is the session of the console, of several that one token began', async () => {
    const verifier = await verifierOfNode();
    const owners = ['a', 'b', undefined].map(session => owner(verifier, mint(60), session));
    expect(new Set(await Promise.all(owners)).size).toBe(3);
  });

  it('is the name of an API key', () => {
    const token = new VerifiedToken({ sub: 'key:shop', typ: 'mgmt', iat: 0, exp: NOW_S + 60 }, '', '');
    expect(ownerOf(holderOf({ kind: 'management', token }))).toBe('key:shop');
  });

  it('is empty where no bearer is asked for', () => {
    expect(ownerOf(holderOf({ kind: 'anonymous' }))).toBe('');
  });
});

describe('the right of a holder', () => {
  const failures: unknown[] = [];
  async function checked(isRevoked: () => Promise<boolean>, session?: string) {
    const verifier = await verifierOfNode();
    const token = await bearer(verifier, mint(60));
    const check = new HolderCheck(verifier, isRevoked, error => void failures.push(error));
    const principal = { kind: 'management', token, ...(session === undefined ? {} : { session }) } as const;
    return { check, holder: holderOf(principal) };
  }

  it('ends when its token is revoked', async () => {
    const { check, holder } = await checked(async () => true);
    expect(await check.hasEnded(holder)).toBe(true);
  });

  it('lasts while the store of revocations does not answer', async () => {
    const away = new Error('the store is away');
    const { check, holder } = await checked(() => Promise.reject(away));
    expect([await check.hasEnded(holder), failures]).toEqual([false, [away]]);
  });

  it('ends with its session of the console', async () => {
    const { check, holder } = await checked(async () => false, 'a');
    expect(await check.hasEnded(holder)).toBe(false);
    check.checkSessions(async session => session !== 'a');
    expect(await check.hasEnded(holder)).toBe(true);
  });
});
