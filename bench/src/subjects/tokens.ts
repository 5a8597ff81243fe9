import { systemClock, systemRandom } from '@msg/engine';
import type { TokenClaims } from '@msg/server';
import { Keyring, ManagementIssuer, TokenSigner, TokenVerifier } from '@msg/server/internal';
import type { Operation } from './operation.ts';

const TOKENS = 64;

/** HS256 access tokens, and the two ways to verify one. */
export async function tokenVerifiers(count: number) {
  const keyring = await Keyring.open({ clock: systemClock, random: systemRandom });
  const signer = new TokenSigner(keyring, systemRandom);
  const tokens = Array.from({ length: count }, (_, index) => signer.sign(claims(index, signer)).token);
  const withCache = new TokenVerifier({ keyring, clock: systemClock, random: systemRandom });
  const without = new TokenVerifier({ keyring, clock: systemClock, random: systemRandom, cacheSize: 0 });
  return {
    tokens,
    verify: {
      'with cache': (token: string) => withCache.verify('access', token),
      'without cache': (token: string) => without.verify('access', token),
    },
  };
}

/** Reads one management token, over and over: what the RPC does with a backend's token that it remembers. */
export async function managementRead(): Promise<() => unknown> {
  const keyring = await Keyring.open({ clock: systemClock, random: systemRandom });
  const issuer = new ManagementIssuer(new TokenSigner(keyring, systemRandom), systemClock);
  const { token } = issuer.issue('backend', 0);
  const verifier = new TokenVerifier({ keyring, clock: systemClock, random: systemRandom });
  return () => verifier.read(token);
}

/** Those of a usual access token. */
function claims(index: number, signer: TokenSigner): TokenClaims {
  const iat = Math.floor(Date.now() / 1000);
  return {
    sub: `user-${index}`,
    typ: 'access',
    chs: ['private:bench.tokens.1'],
    iat,
    exp: iat + 86_400,
    jti: signer.newId(),
  };
}

/** Verifying tokens in turns. */
export async function operations(): Promise<readonly Operation[]> {
  const { tokens, verify } = await tokenVerifiers(TOKENS);
  return Object.entries(verify).map(([name, verifyOnce]) => {
    let next = 0;
    return { name, clock: 'cpu', run: () => verifyOnce(tokens[next++ % TOKENS] ?? '') };
  });
}
