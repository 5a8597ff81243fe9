import { describe, expect, test } from 'vitest';
import { ChannelOptionRules, DEFAULT_CHANNEL_OPTIONS } from '#src/channels/channel-options.ts';
import { explainOptions } from '#src/channels/explained-options.ts';
import { channelRules } from '#src/service/channel-rules.ts';

describe('channel options by pattern', () => {
  test('without rules: 100 publications, 5 minutes, recoverable', () => {
    expect(new ChannelOptionRules([]).of('public:a.b')).toEqual({
      ...DEFAULT_CHANNEL_OPTIONS,
      stream: { size: 100, ttlMs: 300_000 },
    });
  });

  test('for every option the most specific rule that sets it wins, whatever the order', () => {
    const rules = [
      { pattern: 'public:**', historySize: 10, presence: true },
      { pattern: 'public:shop.*', historySize: 20, joinLeave: true },
      { pattern: 'public:shop.status', historySize: 30 },
      { pattern: 'private:**', historySize: 5 },
    ];
    for (const order of [rules, rules.toReversed()]) {
      const options = new ChannelOptionRules(order);
      expect(options.of('public:shop.status')).toMatchObject({
        historySize: 30,
        presence: true,
        joinLeave: true,
      });
      expect(options.of('public:shop.other')).toMatchObject({
        historySize: 20,
        presence: true,
        joinLeave: true,
      });
      expect(options.of('public:other.x')).toMatchObject({
        historySize: 10,
        presence: true,
        joinLeave: false,
      });
      expect(options.of('private:shop.order.1')).toMatchObject({ historySize: 5, presence: false });
    }
  });

  test('each option is explained by the rule that decided it, an overridden one by the rule of the other', () => {
    const rules = new ChannelOptionRules([
      { pattern: 'public:**', historySize: 10, recovery: 'cache' },
      { pattern: 'public:shop.*', historyTtlMs: 90_000, tagsFilter: true },
      { pattern: 'public:shop.live', volatile: true, delta: true },
    ]);
    const explained = (channel: string) =>
      Object.fromEntries(
        explainOptions(rules, channel).map(({ name, value, pattern }) => [name, [value, pattern]]),
      );
    expect(explained('public:shop.news')).toMatchObject({
      history_size: [10, 'public:**'],
      history_ttl: ['1m30s', 'public:shop.*'],
      recovery: ['cache', 'public:**'],
      tags_filter: [true, 'public:shop.*'],
      presence: [false, ''],
      append_window: ['40ms', ''],
    });
    const live = 'public:shop.live';
    expect(explained(live)).toMatchObject({
      volatile: [true, live],
      history_size: [0, live],
      history_ttl: ['0s', live],
      recovery: ['off', live],
      client_history: [false, live],
      delta: [true, live],
      tags_filter: [false, live],
    });
    expect(Object.keys(explained(live)).length).toBe(Object.keys(DEFAULT_CHANNEL_OPTIONS).length);
    const feed = explainOptions(rules, 'private:msg.console.abcdefghijklmnopqrstuvwxyz');
    expect(new Set(feed.map(({ pattern }) => pattern))).toEqual(new Set(['']));
    const appended = explainOptions(
      new ChannelOptionRules([{ pattern: 'public:chat.*', append: true }]),
      'public:chat.a',
    );
    expect(appended.find(({ name }) => name === 'delta')).toEqual({
      name: 'delta',
      value: true,
      pattern: 'public:chat.*',
    });
  });

  test('equally specific rules: the smaller pattern text wins', () => {
    const rules = [
      { pattern: 'public:*.b', historySize: 1 },
      { pattern: 'public:a.*', historySize: 2 },
    ];
    expect(new ChannelOptionRules(rules).of('public:a.b').historySize).toBe(1);
    expect(new ChannelOptionRules(rules.toReversed()).of('public:a.b').historySize).toBe(1);
  });

  test('no history means no recovery and no history command; delta excludes the tags filter', () => {
    const rules = new ChannelOptionRules([
      { pattern: 'public:a.*', historySize: 0 },
      { pattern: 'public:b.*', delta: true, tagsFilter: true },
    ]);
    expect(rules.of('public:a.b')).toMatchObject({
      recovery: 'off',
      clientHistory: false,
      stream: { size: 0, ttlMs: 0 },
    });
    expect(rules.of('public:b.b')).toMatchObject({ delta: true, tagsFilter: false });
  });

  test('volatile keeps nothing, whatever the history options say', () => {
    const rules = new ChannelOptionRules([{ pattern: 'public:**', volatile: true, historySize: 9 }]);
    expect(rules.of('public:a.b')).toMatchObject({
      volatile: true,
      recovery: 'off',
      clientHistory: false,
      stream: { size: 0, ttlMs: 0 },
    });
  });

  test('public and private history are tuned apart by the library options', () => {
    const rules = new ChannelOptionRules(
      channelRules({
        publicHistorySize: 7,
        privateHistoryTtlMs: 1000,
        channelOptions: [{ pattern: 'public:a.b', historySize: 9 }],
      }),
    );
    expect(rules.of('public:a.c').stream).toEqual({ size: 7, ttlMs: 300_000 });
    expect(rules.of('private:a.b.c').stream).toEqual({ size: 100, ttlMs: 1000 });
    expect(rules.of('public:a.b').stream.size).toBe(9);
    const same = channelRules({
      publicHistorySize: 7,
      channelOptions: [{ pattern: 'public:**', historySize: 9 }],
    });
    expect(new ChannelOptionRules(same).of('public:a.b').historySize).toBe(9);
  });

  test.each([
    [{ pattern: 'nonsense' }],
    [{ pattern: 'public:**', historySize: -1 }],
    [{ pattern: 'public:**', historySize: 1.5 }],
    [{ pattern: 'public:**', historyTtlMs: -1 }],
  ])('%j is refused', rule => {
    expect(() => new ChannelOptionRules([rule])).toThrow(
      expect.objectContaining({ code: 'MSG_INVALID_ARGUMENT' }),
    );
  });
});
