import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import { measureInTurns, numericOptions } from './comparison.ts';
import { printQuantity } from './report.ts';
import { tokenVerifiers } from './subjects/tokens.ts';

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
  const { tokens, verify } = await tokenVerifiers(count);
  const bare = bareVerification(tokens);
  const bytes = tokens[0]?.length ?? 0;
  console.log(`tokens: ${count} HS256 tokens of ${bytes} characters in turns, ${slice} ms of CPU per round`);
  for (const [name, verifyOne] of Object.entries(verify)) {
    const verifyAll = () => {
      for (const token of tokens) verifyOne(token);
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
