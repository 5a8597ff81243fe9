import { ManualClock } from '@msg/foundation/clock/testing';
import { expect, test } from 'vitest';
import { VerifiedToken } from '#src/auth/tokens/claims.ts';
import { MemoryRateLimiter } from '#src/rate-limits/memory.ts';
import { RateLimits } from '#src/rate-limits/rate-limits.ts';

const setup = (limits: ConstructorParameters<typeof RateLimits>[0]['limits']) => {
  const decisions: string[] = [];
  const clock = new ManualClock();
  const rates = new RateLimits({
    limiter: new MemoryRateLimiter(clock),
    limits,
    onDecision: (bucket, { accepted, refused }) =>
      decisions.push(`${bucket} ${accepted}/${accepted + refused}`),
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
  expect(strict.decisions).toEqual(['publish 1/1', 'publish 0/1']);
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

test('a channel has a limit of its own after the general one, per subject; users and operators apart', async () => {
  const general = { rate: 3, perMs: 1000, burst: 0 };
  const perChannelPublish = [{ pattern: 'public:a.*', rate: 1, perMs: 1000, burst: 0 }];
  const { rates, decisions } = setup({ publish: general, perChannelPublish });
  const publish = (subject: string, channel: string) => rates.takePublish('publish', subject, channel, null);
  await publish('s', 'public:a.b');
  await expect(publish('s', 'public:a.c')).rejects.toMatchObject({
    code: 'MSG_RATE_LIMITED',
    message: 'the publish-channel rate is exceeded',
  });
  await publish('s', 'public:x.y');
  await expect(publish('s', 'public:x.y')).rejects.toMatchObject({ message: 'the publish rate is exceeded' });
  await publish('other', 'public:a.b');
  await rates.takePublish('publish-client', 's', 'public:a.b', null);
  expect(decisions.filter(decision => decision.startsWith('publish-channel'))).toEqual([
    'publish-channel 1/1',
    'publish-channel 0/1',
    'publish-channel 1/1',
    'publish-channel-client 1/1',
  ]);
  expect(rates.manifest().per_channel_publish).toEqual([
    { pattern: 'public:a.*', limit: { rate: 1, per: '1s', burst: 0 } },
  ]);
});

test('the publishes of one request take their permits in one decision, at the first of them', async () => {
  const perChannelPublish = [{ pattern: 'public:a.*', rate: 1, perMs: 1000, burst: 0 }];
  const { rates, decisions } = setup({ publish: { rate: 3, perMs: 1000, burst: 0 }, perChannelPublish });
  const permits = rates.permits('publish', 's', null, 4);
  expect(decisions).toEqual([]);
  await permits.take('public:x.y');
  expect(decisions).toEqual(['publish 3/4']);
  await permits.take('public:a.b');
  await expect(permits.take('public:a.b')).rejects.toMatchObject({
    message: 'the publish-channel rate is exceeded',
  });
  await expect(permits.take('public:x.y')).rejects.toMatchObject({
    message: 'the publish rate is exceeded',
    retryAfterMs: 1000,
  });
  expect(decisions).toEqual(['publish 3/4', 'publish-channel 1/1', 'publish-channel 0/1']);
});

test('the permits of a request that nothing limits ask no limiter', async () => {
  const { rates, decisions } = setup({});
  expect(rates.permits('publish', 's', null, 4).take('public:x.y')).toBeUndefined();
  const claimed = rates.permits('publish', 's', tokenWith(1, 1), 2);
  await claimed.take('public:x.y');
  await expect(claimed.take('public:x.y')).rejects.toMatchObject({ code: 'MSG_RATE_LIMITED' });
  expect(decisions).toEqual(['publish 1/2']);
});

test('a rate without window is refused by name', () => {
  expect(() => setup({ tokenIssue: { rate: 1, perMs: 0, burst: 0 } })).toThrow('rate_limits.token_issue.per');
});

test('a limiter that fails is MSG_INTERNAL', async () => {
  const rates = new RateLimits({
    limiter: { take: () => Promise.reject(new Error('gone')) },
    limits: { publish: { rate: 1, perMs: 1, burst: 0 } },
    onDecision: () => {},
  });
  await expect(rates.take('publish', 's')).rejects.toMatchObject({ code: 'MSG_INTERNAL' });
});
