import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import { systemClock, systemRandom } from '@msg/engine';
import { Keyring } from '../../packages/server/src/keys/keyring.ts';
import type { TokenClaims } from '../../packages/server/src/tokens/claims.ts';
import { TokenSigner } from '../../packages/server/src/tokens/signer.ts';
import { TokenVerifier } from '../../packages/server/src/tokens/verifier.ts';
import { measureInTurns, numericOptions } from './comparison.ts';
import { printQuantity } from './report.ts';

const DEFAULTS = { pairs: 9, tokens: 64, slice: 200 };

/** Turns over all tokens between two looks at the clock. */
const ROUNDS_PER_LOOK = 16;

interface Sample {
  readonly verifications: number;
  readonly cpuUs: number;
}

/**
 * Verifying HS256 tokens, with the cache of the verifier and without it, against the least that must be done: the
 * HMAC over the same bytes and its comparison in constant time.
 */
export async function run(args: string[]): Promise<void> {
  const { pairs, tokens: count, slice } = numericOptions(args, DEFAULTS);
  const keyring = await Keyring.open({ clock: systemClock, random: systemRandom });
  const signer = new TokenSigner(keyring, systemRandom);
  const tokens = Array.from({ length: count }, (_, index) => signer.sign(claims(index, signer)).token);
  const verifiers = [
    ['with cache', new TokenVerifier({ keyring, clock: systemClock })],
    ['without cache', new TokenVerifier({ keyring, clock: systemClock, cacheSize: 0 })],
  ] as const;
  const bare = bareVerification(tokens);
  const bytes = tokens[0]?.length ?? 0;
  console.log(`tokens: ${count} HS256 tokens of ${bytes} characters in turns, ${slice} ms of CPU per round`);
  for (const [name, verifier] of verifiers) {
    const verifyAll = () => {
      for (const token of tokens) verifier.verify('access', token);
    };
    const measured = await measureInTurns(
      pairs,
      async () => sample(verifyAll, count, slice),
      async () => sample(bare, count, slice),
    );
    printQuantity(measured, 'bare HMAC', {
      name: `${name}, µs CPU per verification`,
      of: ({ cpuUs, verifications }) => cpuUs / verifications,
      digits: 2,
    });
  }
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

/** HMAC and comparison over the signing inputs of the tokens, which are taken apart before. */
function bareVerification(tokens: readonly string[]): () => void {
  const key = createSecretKey(randomBytes(32));
  const parts = tokens.map(token => {
    const input = token.slice(0, token.lastIndexOf('.'));
    return { input, signature: createHmac('sha256', key).update(input).digest() };
  });
  return () => {
    for (const { input, signature } of parts) {
      const expected = createHmac('sha256', key).update(input).digest();
      if (!timingSafeEqual(expected, signature)) throw new Error('a good signature was refused');
    }
  };
}

/** Repeats `verifyAll`, which verifies `count` tokens, until this process has used so much CPU. */
function sample(verifyAll: () => void, count: number, cpuMs: number): Sample {
  const before = process.cpuUsage();
  for (let verifications = 0; ; ) {
    for (let round = 0; round < ROUNDS_PER_LOOK; round++) verifyAll();
    verifications += ROUNDS_PER_LOOK * count;
    const { user, system } = process.cpuUsage(before);
    if (user + system >= cpuMs * 1000) return { verifications, cpuUs: user + system };
  }
}
