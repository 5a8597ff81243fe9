import { type Broker, MemoryBroker, TimerWheel } from '@msg/engine';
import { systemClock, systemRandom } from '@msg/foundation/clock';
import { Msg, type StoreBackend } from '@msg/server';
import { afterEach, describe, expect, it } from 'vitest';
import { ChannelOptionRules, type ChannelRule } from '#src/channels/channel-options.ts';
import { memoryStores } from '#src/stores/memory.ts';
import { embed, stopEmbedded } from '../support/embedded.ts';

const PATTERN = 'public:shop.**';
const rulesOf = (options: Omit<ChannelRule, 'pattern'>, queueBytes?: number) =>
  new ChannelOptionRules([{ pattern: PATTERN, append: true, ...options }], queueBytes);

afterEach(stopEmbedded);

describe('the options of append streams', () => {
  it('are off without a rule; with one they turn delta on, unless it says otherwise', () => {
    expect(new ChannelOptionRules([]).of('public:shop.a')).toMatchObject({ append: false, delta: false });
    expect(rulesOf({}).of('public:shop.a')).toMatchObject({
      append: true,
      delta: true,
      appendControl: true,
      stream: { append: { maxBytes: 262_144, orphanMs: 30_000, windowMs: 40, fullWindowMs: 250 } },
    });
    expect(rulesOf({ delta: false }).of('public:shop.a')).toMatchObject({ append: true, delta: false });
  });

  it.each([
    ['appendWindowMs', 'append_window', 0, 500, '0s', '500ms'],
    ['appendFullWindowMs', 'append_full_window', 40, 10_000, '40ms', '10s'],
    ['appendMaxBytes', 'append_max_bytes', 4096, 1_048_576, '4096 bytes', '1048576 bytes'],
    ['appendOrphanMs', 'append_orphan_timeout', 5000, 3_600_000, '5s', '1h0m0s'],
  ] as const)('%s has a range with both ends', (name, key, least, most, first, last) => {
    const of = (value: number) => () => rulesOf({ [name]: value }, 4_194_304);
    for (const value of [least, most]) expect(of(value)().of('public:shop.a')[name]).toBe(value);
    for (const value of [least - 1, most + 1, least + 0.5, Number.NaN])
      expect(of(value)).toThrow(
        expect.objectContaining({
          code: 'MSG_INVALID_ARGUMENT',
          message: expect.stringContaining(
            `channel options of ${PATTERN}: ${key} must be from ${first} to ${last}; got `,
          ),
        }),
      );
  });

  it.each([
    [{ historySize: 0 }, 'append needs a history: history_size must be above 0'],
    [{ historyTtlMs: 0 }, 'append needs a history: history_ttl must be above 0'],
    [{ recovery: 'off' }, 'append needs recovery: recovery must be stream or cache'],
    [{ volatile: true }, 'append cannot be on together with volatile'],
    [
      { appendMaxBytes: 491_521 },
      'append_max_bytes must be at most 491520, so that a document fits into limits.queue_bytes; got 491521',
    ],
  ] as const)('%j beside append is refused, in the same rule and in a narrower one', (options, problem) => {
    expect(() => rulesOf(options)).toThrow(`channel options of ${PATTERN}: ${problem}`);
    const narrow = 'public:shop.chat.*';
    const general = { pattern: PATTERN, append: true };
    expect(() => new ChannelOptionRules([general, { pattern: narrow, ...options }])).toThrow(
      `channel options of ${narrow}: ${problem}`,
    );
    const rules = new ChannelOptionRules([general, { pattern: narrow, ...options, append: false }]);
    expect(rules.of('public:shop.chat.a').append).toBe(false);
  });

  it('a larger queue allows larger documents', () => {
    expect(rulesOf({ appendMaxBytes: 1_048_576 }, 2_162_688).of('public:shop.a').appendMaxBytes).toBe(
      1_048_576,
    );
    expect(() => rulesOf({ appendMaxBytes: 1_048_576 }, 2_162_687)).toThrow(
      'append_max_bytes must be at most',
    );
  });

  it('a service whose broker has no append streams does not start with them', async () => {
    const broker: Broker = new MemoryBroker({
      clock: systemClock,
      random: systemRandom,
      wheel: new TimerWheel(systemClock),
    });
    Object.defineProperty(broker, 'appends', { value: undefined });
    const stores: StoreBackend = {
      open: async context => ({ ...(await memoryStores().open(context)), engine: { broker } }),
    };
    await expect(
      Msg.create({ stores, channels: { rules: [{ pattern: PATTERN, append: true }] } }),
    ).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message: `channel options of ${PATTERN}: append needs a broker with append streams, and the one of this service has none: set append to false`,
    });
    await (await Msg.create({ stores })).close();
  });

  it('the manifest has those of the most general rule, or says unsupported', async () => {
    const manifestOf = async (rules: readonly ChannelRule[]) => {
      const { url } = await embed({ channels: { rules } });
      const { payload } = (await (await fetch(`${url}/manifest`)).json()) as { payload: unknown };
      return payload;
    };
    expect(await manifestOf([])).toMatchObject({ append_streams: 'unsupported' });
    const manifest = await manifestOf([
      { pattern: 'public:shop.chat.*', append: true, appendWindowMs: 0 },
      { pattern: PATTERN, append: true, appendMaxBytes: 8192 },
    ]);
    expect(manifest).toMatchObject({
      append_streams: 'supported',
      append: { max_bytes: 8192, window: '40ms', full_window: '250ms', orphan_timeout: '30s' },
    });
  });
});
