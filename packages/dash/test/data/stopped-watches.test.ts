import { ManualClock } from '@msg/foundation/clock/testing';
import { expect, it } from 'vitest';
import { loadClients } from '#src/data/msg/driver.ts';
import { MSG } from '#src/data/msg/kind.ts';

it('a channel whose viewer leaves before the client is loaded is not connected to', async () => {
  const dialled: string[] = [];
  const channels = MSG.open({
    clock: new ManualClock(),
    lookup: (host, _options, callback) => {
      dialled.push(host);
      callback(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), [], 0);
    },
    upstreamText: text => text,
  });
  const config = { url: 'ws://node.example/connection/websocket', channel: 'public:app.orders' };
  const connection = {
    id: 'orders',
    type: { ref: 'msg', name: 'msg', version: '1.0.0', id: 'msg@1.0.0' },
    config,
  };
  const stop = channels.watch?.({ connection, config }, () => {});
  stop?.();
  await loadClients();
  // Another token is another connection: this one is dialled.
  const ended = new AbortController();
  const asked = Promise.resolve(
    channels.ask({
      connection: { ...connection, config: { ...config, token: 'a' } },
      config,
      query: {},
      signal: ended.signal,
    }),
  );
  await expect(asked).rejects.toMatchObject({ code: 'QUERY_FAILED' });
  expect(dialled).toEqual(['node.example']);
  await channels.close?.();
});
