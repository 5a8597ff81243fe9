import { eventually } from '@msg/testkit';
import { clientFrame, HostileSocket, unfinishedRequest, upgradeRequest } from '@msg/testkit/hostile';
import { expect, test } from 'vitest';
import { readiness } from '../support/cluster.ts';
import { manifestOf, rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';
import { closeClients, stockClient } from '../support/stock-client.ts';

test('within the drain window the node is not ready, serves what comes, and a second signal ends it at once', async () => {
  const server = await startServer({ args: ['--drain-window', '10m'] });
  try {
    const rpc = rpcOf(server.url, server.token);
    await rpc('OpenPublic', { name: 'public:shop.drain' });
    server.kill('SIGTERM');
    await eventually('it is not ready', async () => (await readiness(server.url)).status === 503);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect((await rpc('Publish', { name: 'public:shop.drain', data: '' })).status).toBe(200);
    const late = stockClient(server.websocketUrl);
    const refused = new Promise<unknown>(resolve => late.on('error', ({ error }) => resolve(error)));
    late.connect();
    expect(await refused).toMatchObject({ message: expect.any(String) });
    closeClients();
    server.kill('SIGTERM');
    expect(await server.exited()).toMatchObject({ code: 1 });
  } finally {
    await server.stop();
  }
});

test('every start has another id', async () => {
  const ids = new Set<string>();
  for (let count = 0; count < 2; count++) {
    const server = await startServer();
    const { boot_id } = await manifestOf(server.url);
    expect(boot_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect((await manifestOf(server.url)).boot_id).toBe(boot_id);
    ids.add(boot_id);
    await server.stop();
  }
  expect(ids.size).toBe(2);
});

test('a stop waits no longer than its grace for peers that stay', async () => {
  const server = await startServer();
  const peers: HostileSocket[] = [];
  try {
    for (const bytes of [
      Buffer.concat([upgradeRequest(), clientFrame('{"id":1,"connect":{}}')]),
      unfinishedRequest({ method: 'POST', target: '/connection/http_stream' }, 100),
      Buffer.alloc(0),
    ]) {
      const peer = await HostileSocket.open(server.url);
      peers.push(peer);
      await peer.sent(bytes);
    }
    await peers[0]?.until(/"connect":\{/);
    server.kill('SIGTERM');
    expect(await server.exited()).toEqual({ code: 0, signal: null });
  } finally {
    for (const peer of peers) peer.destroy();
    await server.stop();
  }
});
