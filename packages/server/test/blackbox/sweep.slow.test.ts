import { eventually } from '@msg/testkit';
import { afterEach, expect, test } from 'vitest';
import { rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';
import { closeClients, received, stockClient } from '../support/stock-client.ts';

afterEach(closeClients);

/** `serve` sweeps every 30 s and has no flag for it; this test waits for one real sweep. */
test('idle channels at the sweep: public ones close and reopen, private ones are gone and can be created again', {
  timeout: 60_000,
}, async () => {
  const server = await startServer();
  try {
    const rpc = rpcOf(server.url, server.token);
    const [open, gone] = ['public:shop.idle', 'private:shop.idle.1'];
    await rpc('OpenPublic', { name: open, ttlSeconds: 1 });
    await rpc('Publish', { name: open, data: '1' });
    const created = await rpc('CreatePrivate', { name: gone, ttlSeconds: 1 });
    const client = stockClient(server.websocketUrl, { token: String(created.body['access_token']) });
    const publicSubscription = client.newSubscription(open);
    const privateSubscription = client.newSubscription(gone);
    const kicked: number[] = [];
    privateSubscription.on('unsubscribed', ({ code }) => kicked.push(code));
    const publications = received(publicSubscription);
    publicSubscription.subscribe();
    privateSubscription.subscribe();
    client.connect();
    await Promise.all([publicSubscription.ready(60_000), privateSubscription.ready(60_000)]);

    const state = async () =>
      (await rpc('GetChannel', { name: open })).body as { channel: { state: string } };
    await eventually('the sweep', async () => (await state()).channel.state === 'closed');
    await eventually('the kick', () => kicked.length > 0);
    expect(kicked).toEqual([2000]);
    expect((await rpc('GetChannel', { name: gone })).status).toBe(404);
    expect((await rpc('CreatePrivate', { name: gone })).status).toBe(200);

    const refused = await rpc('Publish', { name: open, data: '2' });
    expect([refused.status, refused.code]).toEqual([412, 'MSG_CHANNEL_CLOSED']);
    const { channels } = (await rpc('ListChannels', {})).body as {
      channels: { name: string; state: string }[];
    };
    expect(channels).toContainEqual(expect.objectContaining({ name: open, state: 'closed' }));
    const late = stockClient(server.websocketUrl).newSubscription(open);
    expect(late.state).toBe('unsubscribed');

    expect((await rpc('OpenPublic', { name: open })).status).toBe(200);
    expect((await rpc('Publish', { name: open, data: '3' })).body['offset']).toBe(2);
    await eventually('subscribers stayed attached', () => publications.some(({ offset }) => offset === 2));
  } finally {
    await server.stop();
  }
});
