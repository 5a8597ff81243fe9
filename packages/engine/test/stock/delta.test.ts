import { describe, expect, it } from 'vitest';
import { STOCK } from './stock-clients.ts';
import { type StockServer, serve } from './stock-server.ts';

const DELTA = { delta: 'fossil' } as const;
const policy = { subscribe: () => ({ recovery: 'stream' as const, delta: true }) };

/** A payload that repeats most of itself, with text of every UTF-8 length. */
const reading = (n: number): unknown => ({
  n,
  note: 'ein gleichbleibender Text, größer als sein Rest: 世界 и мир 🌍🎈',
  value: ['ä', 'ж', '語', '🎉'][n % 4]?.repeat((n % 7) + 1),
});

async function publishReadings(server: StockServer, first: number, last: number): Promise<void> {
  for (let n = first; n <= last; n++) await server.publish('sensor', reading(n), { delta: true });
}

const readings = (first: number, last: number): unknown[] =>
  Array.from({ length: last - first + 1 }, (_, i) => reading(first + i));

/** A repeatable stream of numbers in [0, 1). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const ALPHABET = ['a', 'b', ' ', '0', 'é', 'ß', 'Ж', '世', '界', '🎈', '🌍', '\u2028', '"', '\\'];

/** A text, and the next one made from it by cutting, inserting and replacing at random places. */
function mutate(text: readonly string[], random: () => number): string[] {
  const next = [...text];
  for (let edits = 1 + Math.floor(random() * 3); edits > 0; edits--) {
    const at = Math.floor(random() * next.length);
    const inserted = Array.from(
      { length: Math.floor(random() * 4) },
      () => ALPHABET[Math.floor(random() * 14)] ?? '',
    );
    next.splice(at, Math.floor(random() * 4), ...inserted);
  }
  while (next.length < 60) next.push(ALPHABET[Math.floor(random() * 14)] ?? '');
  return next;
}

describe.concurrent.each(STOCK)('delta, $name', stock => {
  it('sends the first publication in full and the next ones as patches', async test => {
    const server = await serve(test, stock, { policy });
    const client = await server.connected();
    const subscription = await client.subscribed('sensor', DELTA);
    await publishReadings(server, 1, 20);
    expect((await subscription.receives(20)).map(({ data }) => data)).toEqual(readings(1, 20));
    const stats = subscription.centrifuge.deltaStats();
    expect(stats).toMatchObject({ numPublications: 20, numFullPayloads: 1, numDeltaPayloads: 19 });
    expect(stats.compressionRatio).toBeGreaterThan(0.4);
  });

  it('sends everything in full where the hook does not grant deltas', async test => {
    const server = await serve(test, stock);
    const client = await server.connected();
    const subscription = await client.subscribed('sensor', DELTA);
    await publishReadings(server, 1, 3);
    expect((await subscription.receives(3)).map(({ data }) => data)).toEqual(readings(1, 3));
    expect(subscription.centrifuge.deltaStats().numDeltaPayloads).toBe(0);
  });

  it('serves receivers with and without deltas side by side', async test => {
    const server = await serve(test, stock, { policy });
    const client = await server.connected();
    const other = await server.connected();
    const subscriptions = [await client.subscribed('sensor', DELTA), await other.subscribed('sensor')];
    await publishReadings(server, 1, 5);
    for (const subscription of subscriptions) {
      expect((await subscription.receives(5)).map(({ data }) => data)).toEqual(readings(1, 5));
    }
  });

  it('follows across a lost socket, from recovered publications into live ones', async test => {
    const server = await serve(test, stock, { policy });
    const client = await server.connected();
    const subscription = await client.subscribed('sensor', DELTA);
    await publishReadings(server, 1, 5);
    await subscription.receives(5);
    await server.cutWhile(client, () => publishReadings(server, 6, 10));
    expect(await subscription.events.next('subscribed')).toMatchObject({ recovered: true });
    await publishReadings(server, 11, 15);
    expect((await subscription.receives(15)).map(({ data }) => data)).toEqual(readings(1, 15));
    // Full: the first one, and the first recovered one.
    expect(subscription.centrifuge.deltaStats().numFullPayloads).toBe(2);
  });

  it('follows when nothing was missed, though the client holds a base', async test => {
    const server = await serve(test, stock, { policy });
    const client = await server.connected();
    const subscription = await client.subscribed('sensor', DELTA);
    await publishReadings(server, 1, 3);
    await subscription.receives(3);
    server.cut(client);
    await subscription.events.next('subscribed');
    await publishReadings(server, 4, 6);
    expect((await subscription.receives(6)).map(({ data }) => data)).toEqual(readings(1, 6));
  });

  it('follows while publications arrive during the recovery itself', async test => {
    const server = await serve(test, stock, { policy });
    const client = await server.connected();
    const subscription = await client.subscribed('sensor', DELTA);
    for (let round = 0; round < 5; round++) {
      server.cut(client);
      for (let n = 1; n <= 40; n++) {
        await publishReadings(server, round * 40 + n, round * 40 + n);
        await new Promise(resolve => setImmediate(resolve));
      }
      await subscription.events.atLeast(round + 2, 'subscribed');
    }
    expect((await subscription.receives(200)).map(({ data }) => data)).toEqual(readings(1, 200));
  });

  it.for([
    ['in the middle', 4],
    ['at the top', 8],
  ] as const)(
    'a fresh client that starts %s with since decodes everything',
    async ([_name, offset], test) => {
      const server = await serve(test, stock, { policy });
      await publishReadings(server, 1, 8);
      const { epoch } = await server.position('sensor');
      const client = await server.connected();
      const subscription = await client.subscribed('sensor', { ...DELTA, since: { offset, epoch } });
      expect(subscription.events.all('subscribed')).toMatchObject([{ recovered: true }]);
      await publishReadings(server, 9, 12);
      expect((await subscription.receives(12 - offset)).map(({ data }) => data)).toEqual(
        readings(offset + 1, 12),
      );
    },
  );

  it('follows after a failed recovery and after a stream that began anew', async test => {
    const server = await serve(test, stock, { policy });
    const client = await server.connected();
    const subscription = await client.subscribed('sensor', DELTA);
    await publishReadings(server, 1, 3);
    await subscription.receives(3);
    await server.node.removeStream('sensor');
    await publishReadings(server, 4, 4);
    expect(await subscription.events.next('subscribing')).toMatchObject({ code: 2500 });
    expect(await subscription.events.next('subscribed')).toMatchObject({ recovered: false });
    await publishReadings(server, 5, 8);
    expect((await subscription.receives(7)).map(({ data }) => data)).toEqual([
      ...readings(1, 3),
      ...readings(5, 8),
    ]);
  });

  it('follows publications with and without permission for deltas, and texts that are not JSON', async test => {
    const server = await serve(test, stock, { policy });
    const client = await server.connected();
    const subscription = await client.subscribed('sensor', DELTA);
    const text = (data: unknown): unknown =>
      data instanceof Uint8Array ? Buffer.from(data).toString() : data;
    const long = 'plain text, grüße, long enough for a patch to pay off: ';
    const raw = [`${long}1`, `${long}2`];
    await publishReadings(server, 1, 2);
    await server.publish('sensor', reading(3));
    await publishReadings(server, 4, 5);
    for (const payload of raw) await server.node.publish('sensor', Buffer.from(payload), { delta: true });
    await publishReadings(server, 6, 7);
    const received = (await subscription.events.atLeast(9, 'publication')).map(({ data }) => text(data));
    const json = (n: number): unknown =>
      stock.encoding === 'json' ? reading(n) : JSON.stringify(reading(n));
    expect(received).toEqual([...[1, 2, 3, 4, 5].map(json), ...raw, ...[6, 7].map(json)]);
  });

  it('decodes a thousand random edits of text in many alphabets', async test => {
    const seed = Date.now() % 100_000;
    test.annotate(`seed ${seed}`);
    const random = seeded(seed);
    const server = await serve(test, stock, { policy });
    const client = await server.connected();
    const subscription = await client.subscribed('sensor', DELTA);
    const published: string[] = [];
    let text: string[] = [];
    for (let i = 0; i < 1000; i++) {
      text = mutate(text, random);
      published.push(text.join(''));
      await server.publish('sensor', text.join(''), { delta: true });
    }
    const received = (await subscription.receives(1000)).map(({ data }) => data);
    expect(received, `seed ${seed}`).toEqual(published);
    expect(subscription.centrifuge.deltaStats().numDeltaPayloads).toBeGreaterThan(500);
  });
});
