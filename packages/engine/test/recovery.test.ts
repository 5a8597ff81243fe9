import type { SubscribeDecision } from '@msg/engine';
import type { Encoding } from '@msg/protocol';
import { eventually } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { Harness, OPEN_POLICY } from './harness.ts';

/** Client protocol 11.3. `wait`: seconds between the last publication and the subscribe. */
const TABLE: readonly {
  row: number;
  mode: 'stream' | 'cache';
  ttl: number;
  published: number;
  offset: number;
  limit: number;
  wait: number;
  recovered: boolean;
  count: number;
}[] = [
  { row: 1, mode: 'stream', ttl: 60, published: 0, offset: 0, limit: 0, wait: 0, recovered: true, count: 0 },
  { row: 2, mode: 'stream', ttl: 60, published: 10, offset: 8, limit: 0, wait: 0, recovered: true, count: 2 },
  {
    row: 3,
    mode: 'stream',
    ttl: 60,
    published: 10,
    offset: 5,
    limit: 2,
    wait: 0,
    recovered: false,
    count: 0,
  },
  {
    row: 4,
    mode: 'stream',
    ttl: 60,
    published: 10,
    offset: 5,
    limit: 1,
    wait: 0,
    recovered: false,
    count: 0,
  },
  {
    row: 5,
    mode: 'stream',
    ttl: 60,
    published: 20,
    offset: 8,
    limit: 0,
    wait: 0,
    recovered: false,
    count: 0,
  },
  {
    row: 6,
    mode: 'stream',
    ttl: 60,
    published: 20,
    offset: 108,
    limit: 0,
    wait: 0,
    recovered: false,
    count: 0,
  },
  { row: 7, mode: 'stream', ttl: 60, published: 7, offset: 7, limit: 0, wait: 0, recovered: true, count: 0 },
  { row: 8, mode: 'stream', ttl: 60, published: 4, offset: 0, limit: 0, wait: 0, recovered: true, count: 4 },
  { row: 9, mode: 'stream', ttl: 1, published: 10, offset: 8, limit: 0, wait: 3, recovered: false, count: 0 },
  { row: 10, mode: 'stream', ttl: 1, published: 1, offset: 1, limit: 0, wait: 3, recovered: true, count: 0 },
  { row: 11, mode: 'cache', ttl: 60, published: 0, offset: 0, limit: 0, wait: 0, recovered: false, count: 0 },
  { row: 12, mode: 'cache', ttl: 60, published: 10, offset: 8, limit: 0, wait: 0, recovered: true, count: 1 },
  { row: 12, mode: 'cache', ttl: 60, published: 10, offset: 5, limit: 2, wait: 0, recovered: true, count: 1 },
  { row: 12, mode: 'cache', ttl: 60, published: 10, offset: 5, limit: 1, wait: 0, recovered: true, count: 1 },
  { row: 13, mode: 'cache', ttl: 60, published: 20, offset: 8, limit: 0, wait: 0, recovered: true, count: 1 },
  {
    row: 14,
    mode: 'cache',
    ttl: 60,
    published: 20,
    offset: 108,
    limit: 0,
    wait: 0,
    recovered: true,
    count: 1,
  },
  { row: 15, mode: 'cache', ttl: 60, published: 7, offset: 7, limit: 0, wait: 0, recovered: true, count: 0 },
  { row: 16, mode: 'cache', ttl: 60, published: 4, offset: 0, limit: 0, wait: 0, recovered: true, count: 1 },
  { row: 17, mode: 'cache', ttl: 1, published: 10, offset: 8, limit: 0, wait: 3, recovered: false, count: 0 },
  { row: 18, mode: 'cache', ttl: 1, published: 1, offset: 1, limit: 0, wait: 3, recovered: true, count: 0 },
];

let harness: Harness;
afterEach(() => harness.stop());

describe.each<Encoding>(['json', 'protobuf'])('recovery decisions (client protocol 11.3), %s', encoding => {
  it.each(TABLE)('row $row: $mode, offset $offset of $published, limit $limit', async row => {
    harness = await Harness.start({
      limits: { recoveryItems: row.limit },
      policy: {
        ...OPEN_POLICY,
        subscribe: (): SubscribeDecision => ({ recovery: row.mode }),
        streamOptions: () => ({ size: 10, ttlMs: row.ttl * 1000 }),
      },
    });
    const { epoch } = await harness.node.history('news', { limit: 0 });
    for (let i = 1; i <= row.published; i++) await harness.publish('news', String(i));
    await harness.clock.advance(row.wait * 1000);
    if (row.wait > 0)
      await eventually('the stream expires', async () => {
        const { publications } = await harness.node.history('news', { limit: -1 });
        return publications.length === 0;
      });

    const client = await harness.connected({ encoding });
    const { subscribe } = await client.request({
      subscribe: { channel: 'news', recover: true, offset: row.offset, epoch },
    });
    expect(subscribe).toMatchObject({
      recovered: row.recovered,
      wasRecovering: true,
      epoch,
      offset: row.recovered ? row.offset : row.published,
    });
    const top = row.published;
    const expected = Array.from({ length: row.count }, (_, i) => top - row.count + 1 + i);
    expect(subscribe?.publications.map(({ offset }) => offset)).toEqual(expected);

    // Whatever was decided: the subscription continues at the top.
    await harness.publish('news', '"next"');
    expect((await client.push()).pub?.offset).toBe(top + 1);
  });
});

describe('cache recovery', () => {
  it('sends the latest value to a client that did not ask, when the server says so', async () => {
    harness = await Harness.start({
      policy: {
        ...OPEN_POLICY,
        subscribe: () => ({ recovery: 'cache', autoCacheRecovery: true }),
      },
    });
    await harness.publish('news', '1');
    await harness.publish('news', '2');
    const client = await harness.connected();
    const { subscribe } = await client.request({ subscribe: { channel: 'news' } });
    expect(subscribe).toMatchObject({ recovered: true, wasRecovering: true });
    expect(subscribe?.publications.map(({ offset }) => offset)).toEqual([2]);
  });

  it('does not act on the reject-unrecovered flag', async () => {
    harness = await Harness.start({ policy: { ...OPEN_POLICY, subscribe: () => ({ recovery: 'cache' }) } });
    const client = await harness.connected();
    const reply = await client.request({ subscribe: { channel: 'news', recover: true, flag: 2 } });
    expect(reply.subscribe).toMatchObject({ recovered: false, wasRecovering: true });
  });
});
