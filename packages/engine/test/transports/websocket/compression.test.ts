import type { Encoding } from '@msg/protocol';
import { clientFrame, HostileSocket, upgradeRequest } from '@msg/testkit/hostile';
import { afterEach, describe, expect, it } from 'vitest';
import { offersCompression } from '#src/transports/websocket/message-compression.ts';
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

describe('an offer of compression', () => {
  it.each([
    ['permessage-deflate'],
    ['permessage-deflate; client_max_window_bits'],
    ['permessage-deflate; client_max_window_bits=10; server_no_context_takeover'],
    ['permessage-deflate;server_max_window_bits="15" ; client_no_context_takeover'],
    ['x-other, permessage-deflate'],
    ['permessage-deflate; server_max_window_bits=10, permessage-deflate'],
  ])('%s is taken', header => {
    expect(offersCompression(header)).toBe(true);
  });

  it.each([
    [''],
    ['x-webkit-deflate-frame'],
    ['permessage-deflate; server_max_window_bits=10'],
    ['permessage-deflate; server_max_window_bits'],
    ['permessage-deflate; client_max_window_bits=7'],
    ['permessage-deflate; client_max_window_bits=16'],
    ['permessage-deflate; server_no_context_takeover=1'],
    ['permessage-deflate; server_no_context_takeover; server_no_context_takeover'],
    ['permessage-deflate; unknown'],
    ['permessage-deflate;'],
    ['"permessage-deflate"'],
  ])('%s is declined', header => {
    expect(offersCompression(header)).toBe(false);
  });

  it('that is declined leaves a connection without compression', async () => {
    harness = await Harness.start({ websocket: { compression: true } });
    const socket = await HostileSocket.open(`http://127.0.0.1:${harness.port}`);
    const headers = [['Sec-WebSocket-Extensions', 'permessage-deflate; server_max_window_bits=9']] as const;
    socket.send(upgradeRequest({ headers }));
    await socket.until(/^HTTP\/1\.1 101 (?:(?!Extensions)[\s\S])*\r\n\r\n/);
    socket.send(clientFrame('{"id":1,"connect":{}}'));
    await socket.until(/"connect":\{/);
    socket.destroy();
  });
});
