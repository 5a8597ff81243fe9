import { expect, test } from 'vitest';
import { MemoryRateLimiter } from '#src/rate-limits/memory.ts';
import { RateLimits } from '#src/rate-limits/rate-limits.ts';
import { VerifiedToken } from '#src/tokens/claims.ts';
import { FakeClock } from '../support/fake-clock.ts';

const setup = (limits: ConstructorParameters<typeof RateLimits>[0]['limits']) => {
  const decisions: string[] = [];
  const clock = new FakeClock();
  const rates = new RateLimits({
    limiter: new MemoryRateLimiter(),
    clock,
    limits,
    onDecision: (bucket, allowed) => decisions.push(`${bucket} ${allowed}`),
  });
  return { rates, decisions, clock };
};

const tokenWith = (rate: number, perSeconds: number) =>
  new VerifiedToken({ typ: 'access', iat: 0, exp: 1, rl: { rate, per: perSeconds * 1e9 } }, 'k', 'f');

test('no limit: nothing is asked', async () => {
  const { rates, decisions } = setup({});
  for (let count = 0; count < 100; count++) await rates.take('publish', 's');
  expect(decisions).toEqual([]);
});

test('the rl claim limits where nothing else does, and tightens what is configured', async () => {
  const limited = { code: 'MSG_RATE_LIMITED' };
  const free = setup({});
  await free.rates.take('publish', 's', tokenWith(1, 1));
  await expect(free.rates.take('publish', 's', tokenWith(1, 1))).rejects.toMatchObject(limited);
  const strict = setup({ publish: { rate: 1, perMs: 1000, burst: 0 } });
  await strict.rates.take('publish', 's', tokenWith(100, 1));
  await expect(strict.rates.take('publish', 's', tokenWith(100, 1))).rejects.toMatchObject(limited);
  expect(strict.decisions).toEqual(['publish true', 'publish false']);
});

test('client publishes use the publish limits in a bucket of their own', async () => {
  const { rates } = setup({ publish: { rate: 1, perMs: 1000, burst: 0 } });
  await rates.take('publish', 'same');
  await rates.take('publish-client', 'same');
  await expect(rates.take('publish-client', 'same')).rejects.toMatchObject({
    retryAfterMs: 1000,
    status: 429,
  });
});

test('a rate without window is refused by name', () => {
  expect(() => setup({ tokenIssue: { rate: 1, perMs: 0, burst: 0 } })).toThrow('rate_limits.token_issue.per');
});

test('a limiter that fails is MSG_INTERNAL', async () => {
  const rates = new RateLimits({
    limiter: { take: () => Promise.reject(new Error('gone')) },
    clock: new FakeClock(),
    limits: { publish: { rate: 1, perMs: 1, burst: 0 } },
    onDecision: () => {},
  });
  await expect(rates.take('publish', 's')).rejects.toMatchObject({ code: 'MSG_INTERNAL' });
});
