import type { Encoding } from '@msg/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Harness, OPEN_POLICY } from './harness.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await Harness.start({
    policy: { ...OPEN_POLICY, subscribe: () => ({ recovery: 'stream', compaction: true }) },
  });
});
afterEach(() => harness.stop());

async function subscribed(encoding: Encoding, name: string, flag: number) {
  const client = await harness.open({ encoding });
  await client.request({ connect: { name } });
  const { subscribe } = await client.request({ subscribe: { channel: 'a', flag } });
  return { client, id: subscribe?.id ?? 0 };
}

describe.each<Encoding>(['json', 'protobuf'])('channel compaction, %s', encoding => {
  it('replaces the name by an id above 0 in publications, not in unsubscribes', async () => {
    const { client, id } = await subscribed(encoding, '', 1);
    expect(id).toBeGreaterThan(0);
    await harness.publish('a', '1');
    expect(await client.push()).toMatchObject({ channel: '', id, pub: { offset: 1 } });
    await harness.node.unsubscribeAll('a', { code: 2000, reason: 'server unsubscribe' });
    expect(await client.push()).toMatchObject({ channel: 'a', id: 0, unsubscribe: { code: 2000 } });
  });

  it('is left out for clients that do not ask for it', async () => {
    const { client, id } = await subscribed(encoding, '', 0);
    expect(id).toBe(0);
    await harness.publish('a', '1');
    expect(await client.push()).toMatchObject({ channel: 'a', id: 0 });
  });

  it('is left out for the stock JS client on Protobuf, which asks for it and cannot resolve ids', async () => {
    for (const name of ['js', 'an application of its own']) {
      const { id } = await subscribed(encoding, name, 1);
      expect(id > 0).toBe(encoding === 'json');
    }
  });
});
