import type { SubscribeDecision } from '@msg/engine';
import type { Encoding } from '@msg/protocol';
import { eventually } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { Harness, OPEN_POLICY } from './harness.ts';
import { RECOVERY_TABLE } from './recovery-table.ts';

let harness: Harness;
afterEach(() => harness.stop());

describe.each<Encoding>(['json', 'protobuf'])('recovery decisions (client protocol 11.3), %s', encoding => {
  it.each(RECOVERY_TABLE)('row $row: $mode, offset $offset of $published, limit $limit', async row => {
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

  it('counts no failed recovery when a channel has nothing for a client that did not ask', async () => {
    harness = await Harness.start({
      policy: { ...OPEN_POLICY, subscribe: () => ({ recovery: 'cache', autoCacheRecovery: true }) },
    });
    const client = await harness.connected();
    const { subscribe } = await client.request({ subscribe: { channel: 'news' } });
    expect(subscribe).toMatchObject({ recovered: false, wasRecovering: true, publications: [] });
    expect(harness.node.stats().unrecovered).toBe(0);
  });

  it('does not act on the reject-unrecovered flag', async () => {
    harness = await Harness.start({ policy: { ...OPEN_POLICY, subscribe: () => ({ recovery: 'cache' }) } });
    const client = await harness.connected();
    const reply = await client.request({ subscribe: { channel: 'news', recover: true, flag: 2 } });
    expect(reply.subscribe).toMatchObject({ recovered: false, wasRecovering: true });
  });
});
