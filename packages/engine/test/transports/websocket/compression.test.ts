import type { Encoding } from '@msg/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { Harness } from '../../harness.ts';

let harness: Harness;
afterEach(() => harness.stop());

describe.each<Encoding>(['json', 'protobuf'])('permessage-deflate, %s', encoding => {
  it('shrinks large messages, leaves small ones alone, and shares the result', async () => {
    harness = await Harness.start({ websocket: { compression: true } });
    const clients = await Promise.all([1, 2].map(() => harness.connected({ encoding })));
    for (const client of clients) {
      expect(client.websocket.extensions).toContain('permessage-deflate');
      await client.request({ subscribe: { channel: 'news' } });
    }
    const large = JSON.stringify({ text: 'repetition '.repeat(3000) });
    const before = harness.node.stats().bytesOut;
    await harness.publish('news', large);
    await harness.publish('news', '1');
    for (const client of clients) {
      expect(Buffer.from((await client.push()).pub?.data.bytes ?? []).toString()).toBe(large);
      expect(Buffer.from((await client.push()).pub?.data.bytes ?? []).toString()).toBe('1');
    }
    expect(harness.node.stats().bytesOut - before).toBeLessThan(2000);
  });

  it('bounds what a client may send after decompression', async () => {
    harness = await Harness.start({ websocket: { compression: true } });
    const client = await harness.connected({ encoding });
    client.sendFrame(Buffer.alloc(1_000_000, 0x20));
    expect((await client.closed()).code).toBe(1009);
  });

  it('is not offered by default', async () => {
    harness = await Harness.start();
    const client = await harness.connected({ encoding });
    expect(client.websocket.extensions).toBe('');
  });
});
