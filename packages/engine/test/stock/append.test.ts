import { setTimeout as pause } from 'node:timers/promises';
import type { AppendOp } from '@msg/engine';
import { describe, expect, it, vi } from 'vitest';
import { Prng } from '../model/prng.ts';
import type { Received, StockClient, StockSubscription } from './stock-client.ts';
import { STOCK } from './stock-clients.ts';
import { type StockServer, serve } from './stock-server.ts';

// Cases wait, most of the time.
vi.setConfig({ maxConcurrency: 14 });

/** npm run stock:append is the long form, with 8,000. */
const TOKENS = Number(process.env['MSG_APPEND_TOKENS'] ?? 800);
const SEED = Number(process.env['MSG_SEED'] ?? Date.now() % 2 ** 31);
/** Tokens sent without waiting for each other, and the time until the next ones. */
const TOGETHER = 10;
const PACE_MS = 20;
/** Times between two cuts of one connection. */
const CUT_MS = [200, 2000] as const;
const TIMEOUT_MS = 120_000 + 60 * TOKENS;
const MESSAGE = { message: 'm1', producer: 'worker' };

const policy = {
  subscribe: () => ({ recovery: 'stream' as const, delta: true }),
  streamOptions: () => ({
    size: 100,
    ttlMs: 60_000,
    append: { maxBytes: 262_144, orphanMs: 30_000, windowMs: 2, fullWindowMs: 40 },
  }),
};

/** Tokens with every length of UTF-8 and what JSON escapes. */
const token = (n: number): string => ['word ', 'ä', '世', '👋 ', '"\\', '\n'][n % 6] + String(n % 10);
const textUntil = (count: number): string => Array.from({ length: count }, (_, n) => token(n)).join('');
const WHOLE = textUntil(TOKENS);

interface Reader {
  readonly client: StockClient;
  readonly subscription: StockSubscription;
}

const lasting = (subscription: StockSubscription): Promise<void> =>
  new Promise(resolve => {
    subscription.centrifuge.on('publication', ({ tags }) => {
      if (tags?.['msg-status'] === 'complete') resolve();
    });
  });

async function append(server: StockServer, seq: number, ops: readonly AppendOp[]): Promise<void> {
  await server.node.append('chat', { ...MESSAGE, seq, ops });
}

async function appendTokens(server: StockServer, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += TOGETHER) {
    const requests = Array.from({ length: TOGETHER }, (_, i) =>
      append(server, n + i + 1, [{ text: token(n + i) }]),
    );
    await Promise.all(requests);
    await pause(PACE_MS);
  }
}

/** Cuts a connection again and again until it is told to stop; answers how often. */
async function cutNowAndThen(
  server: StockServer,
  client: StockClient,
  seed: number,
  stop: AbortSignal,
): Promise<number> {
  const prng = new Prng(seed);
  for (let cuts = 0; ; cuts++) {
    const isOver = await pause(prng.between(...CUT_MS), false, { signal: stop }).catch(() => true);
    if (isOver) return cuts;
    await server.present(client);
    server.cut(client);
    await client.events.next('connected');
  }
}

/** Every text is a prefix of the answer and none is shorter than the one before; the last one is the answer. */
function expectGrowth({ subscription }: Reader): void {
  let length = 0;
  for (const { data } of subscription.received) {
    const { text } = data as { readonly text: string };
    if (!WHOLE.startsWith(text) || text.length < length)
      throw new Error(`after ${length} characters: ${text}`);
    length = text.length;
  }
  expect(subscription.received.at(-1)?.data).toEqual({ id: 'm1', status: 'complete', text: WHOLE });
}

describe.concurrent.each(STOCK)(`a message of ${TOKENS} tokens, seed ${SEED}, $name`, stock => {
  it('is a growing text for who joins at the start, in the middle, at the end and after cuts, and ends for all', {
    timeout: TIMEOUT_MS,
  }, async test => {
    const server = await serve(test, stock, { policy });
    const readers: Reader[] = [];
    const join = async (delta: boolean): Promise<Reader> => {
      const client = await server.connected();
      const subscription = await client.subscribed('chat', delta ? { delta: 'fossil' } : {});
      const reader = { client, subscription };
      readers.push(reader);
      return reader;
    };
    const cutReaders = [await join(true), await join(false)];
    await join(true);
    const over = new AbortController();
    const cuts = [await join(true), await join(false)].map(({ client }, n) =>
      cutNowAndThen(server, client, SEED + n, over.signal),
    );
    await append(server, 1, [{ text: token(0) }]);
    await Promise.all(Array.from({ length: 9 }, (_, i) => append(server, i + 2, [{ text: token(i + 1) }])));
    await appendTokens(server, 10, TOKENS / 4);
    for (const { client } of cutReaders) {
      await server.present(client);
      server.cut(client);
    }
    await appendTokens(server, TOKENS / 4, TOKENS / 2);
    const late = [await join(true), await join(false)];
    await appendTokens(server, TOKENS / 2, (TOKENS / 4) * 3);
    const [first] = cutReaders;
    if (first === undefined) throw new Error('no reader');
    await server.present(first.client);
    await server.cutWhile(first.client, () => appendTokens(server, (TOKENS / 4) * 3, TOKENS));
    over.abort();
    const cutCounts = await Promise.all(cuts);
    const last = [await join(true), await join(false)];
    const ends = readers.map(({ subscription }) => lasting(subscription));
    await append(server, TOKENS + 1, [{ status: 'complete' }]);
    await Promise.all(ends);
    for (const reader of readers) expectGrowth(reader);
    if (TOKENS >= 8000) expect(Math.min(...cutCounts)).toBeGreaterThan(2);
    for (const { subscription } of last)
      expect((subscription.received[0] as Received).data).toMatchObject({ text: WHOLE });
    // The first that a late reader got was the whole text so far.
    for (const { subscription } of late) {
      const { text } = (subscription.received[0] as Received).data as { readonly text: string };
      expect(text.length).toBeGreaterThanOrEqual(textUntil(TOKENS / 2).length);
    }
    const stats = readers[2]?.subscription.centrifuge.deltaStats();
    expect(stats?.numDeltaPayloads).toBeGreaterThan(stats?.numFullPayloads ?? 0);
  });
});
