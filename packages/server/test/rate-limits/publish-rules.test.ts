import { expect, test } from 'vitest';
import { PublishRules } from '#src/rate-limits/publish-rules.ts';

const limit = { rate: 1, perMs: 1000, burst: 0 };
const rules = (...patterns: string[]) => new PublishRules(patterns.map(pattern => ({ pattern, ...limit })));

test.each([
  ['public:a.b', ['public:**', 'public:a.*', 'public:a.b'], 'public:a.b'],
  ['public:a.c', ['public:**', 'public:a.*', 'public:a.b'], 'public:a.*'],
  ['public:x.y.z', ['public:**', 'public:a.*', 'public:a.b'], 'public:**'],
  ['private:a.b.1', ['public:**'], undefined],
  ['public:a.b.c', ['public:*.b.*', 'public:a.*.*'], 'public:*.b.*'],
  ['public:a.b.c', ['public:a.*.*', 'public:*.b.*'], 'public:*.b.*'],
  ['nonsense', ['public:**'], undefined],
])('the rule of %s among %j is %s', (channel, patterns, expected) => {
  expect(rules(...patterns).of(channel)?.pattern).toBe(expected);
});

test('bad patterns and rates without window are refused', () => {
  expect(() => rules('*:a')).toThrow(expect.objectContaining({ code: 'MSG_INVALID_ARGUMENT' }));
  expect(() => new PublishRules([{ pattern: 'public:**', rate: 1, perMs: 0, burst: 0 }])).toThrow(
    'rate_limits.per_channel_publish[0].per: is required when rate is set',
  );
});
