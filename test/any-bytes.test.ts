import { eventually } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STOCK } from '../packages/engine/test/stock/stock-clients.ts';
import { Random, SEED } from '../packages/protocol/test/support/random.ts';
import { EventListener, StockListener } from './support/bytes/listeners.ts';
import { longSequences, type Payload, shortSequences } from './support/bytes/payloads.ts';
import { BytesService } from './support/bytes/service.ts';

const PATIENCE_MS = 120_000;
const RANDOM_PAYLOADS = 100;
const STREAM = 'public:bytes.stream';
const DELTA = 'public:bytes.delta';
const CACHE = 'public:bytes.cache';

/** The newer client over every transport. */
const CLIENTS = STOCK.filter(({ version }) => version === '5.8.0');
const WEBSOCKETS = STOCK.filter(({ transport }) => transport === 'websocket');

const random = new Random(SEED);
const short = shortSequences();
const long = longSequences(random, RANDOM_PAYLOADS);
/** Of up to one byte. */
const shortest = short.slice(0, 257);
/** MSG_TEST_EVERY_BYTE=1, as at night: every sequence of two bytes; else those that the seed chooses. */
const isLong = process.env['MSG_TEST_EVERY_BYTE'] === '1';
const TWO_BYTES = 6_000;
const twoBytes = short.slice(257);
const chosen = isLong
  ? short
  : [...shortest, ...Array.from({ length: TWO_BYTES }, () => random.pick(twoBytes))];
const sample = [...shortest, ...Array.from({ length: 250 }, () => random.pick(short)), ...long];

type Listener = StockListener | EventListener;

/** Waits until every listener has taken so many publications in all. */
const followed = (listeners: readonly Listener[], count: number): Promise<void> =>
  eventually(
    `all have ${count}`,
    () => {
      for (const listener of listeners) if (listener instanceof EventListener) listener.compare();
      expect(listeners.flatMap(({ comparison }) => comparison.faults)).toEqual([]);
      return listeners.every(({ comparison }) => comparison.right >= count);
    },
    PATIENCE_MS,
  );

/** Everything that a channel of publications offers: live, recovered, history, `/sse`. Answers what was compared. */
async function throughChannel(
  service: BytesService,
  channel: string,
  clients: typeof CLIENTS,
  payloads: readonly Payload[],
  delta: boolean,
): Promise<number> {
  await service.open(channel);
  const options = delta ? { delta: 'fossil' as const } : {};
  const subscribers = clients.map(
    stock => new StockListener(service.client(stock), stock, channel, payloads, options),
  );
  const readers = [await EventListener.open(service.url, channel, 0, payloads)];
  const listeners = (): Listener[] => [...subscribers, ...readers];
  const count = payloads.length;
  try {
    await Promise.all(subscribers.map(subscriber => subscriber.subscribe()));
    await service.publish(channel, payloads, taken => followed(listeners(), taken));

    const published = Promise.withResolvers<void>();
    const returns = Promise.all(subscribers.map(subscriber => subscriber.away(published.promise)));
    await service.publish(channel, payloads, taken => followed(readers, count + taken));
    published.resolve();
    expect(await returns).toEqual(subscribers.map(() => true));
    await followed(listeners(), 2 * count);

    await Promise.all(subscribers.map(subscriber => subscriber.readHistory(count)));
    await followed(subscribers, 3 * count);
    readers.push(await EventListener.open(service.url, channel, 1, payloads));
    await followed(readers, 2 * count);
    return subscribers.length * 3 * count + readers.length * 2 * count;
  } finally {
    for (const listener of listeners()) listener.stop();
  }
}

/** Each payload is the latest value that a new subscriber of a cache channel gets. */
async function throughCache(service: BytesService, payloads: readonly Payload[]): Promise<number> {
  await service.open(CACHE);
  const subscribers = CLIENTS.map(stock => new StockListener(service.client(stock), stock, CACHE, payloads));
  try {
    for (const [index, payload] of payloads.entries()) {
      await service.publish(CACHE, [payload], () => Promise.resolve());
      await Promise.all(
        subscribers.map(async subscriber => {
          await subscriber.subscribe();
          await followed([subscriber], index + 1);
          await subscriber.unsubscribe();
        }),
      );
    }
    return subscribers.length * payloads.length;
  } finally {
    for (const subscriber of subscribers) subscriber.stop();
  }
}

describe(`no payload ends a connection, and every one arrives; seed ${SEED}`, { timeout: 300_000 }, () => {
  let service: BytesService;
  const compared = (what: string, payloads: readonly Payload[], count: number): void =>
    console.log(
      `any bytes, ${what}: seed ${SEED}, ${payloads.length} payloads, ${count} compared, 0 disconnects`,
    );

  describe('streams in the process', () => {
    beforeAll(async () => {
      const payloads = chosen.length + long.length;
      service = await BytesService.start({ historySize: 2 * payloads, webtransport: true });
    }, 120_000);
    afterAll(() => service.stop());

    test('sequences of up to two bytes, half surrogates, noise: live, recovered, history, /sse', async () => {
      const payloads = [...chosen, ...long];
      compared('streams', payloads, await throughChannel(service, STREAM, CLIENTS, payloads, false));
    });

    test('subscriptions with deltas', async () => {
      compared('deltas', sample, await throughChannel(service, DELTA, WEBSOCKETS, sample, true));
    });

    test('the latest value of a cache', async () => {
      const payloads = [...shortest, ...long];
      compared('cache', payloads, await throughCache(service, payloads));
    });
  });

  describe('streams in Redis', () => {
    beforeAll(async () => {
      service = await BytesService.start({ historySize: 2 * sample.length, redis: true });
    }, 120_000);
    afterAll(() => service.stop());

    test('short sequences, half surrogates, noise: live, recovered, history, /sse', async () => {
      compared('Redis', sample, await throughChannel(service, STREAM, WEBSOCKETS, sample, false));
    });
  });
});
