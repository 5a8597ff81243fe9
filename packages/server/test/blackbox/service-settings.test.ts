import { eventually, RawClient } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { runCli } from '../support/cli-io.ts';
import { embed, stopEmbedded } from '../support/embedded.ts';

afterEach(stopEmbedded);

describe('connections', () => {
  it('beyond those of a node get 503, and one that ends makes room', async () => {
    const { websocketUrl, url, msg } = await embed({ limits: { connections: 1 } });
    const first = await RawClient.open(websocketUrl);
    await expect(RawClient.open(websocketUrl)).rejects.toThrow(/503/);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    first.websocket.close();
    await first.closed();
    let next: RawClient | undefined;
    await eventually('there is room', async () => {
      next = await RawClient.open(websocketUrl).catch(() => undefined);
      return next !== undefined;
    });
    expect((await next?.request({ connect: {} }))?.connect).toBeDefined();
    next?.websocket.terminate();
    expect(msg.manifest().payload.service).toBe('msg');
  });

  it('beyond those of an address end with 3504', async () => {
    const { websocketUrl } = await embed({ limits: { connectionsPerAddress: 1 } });
    const first = await RawClient.open(websocketUrl);
    expect((await first.request({ connect: {} })).connect).toBeDefined();
    const second = await RawClient.open(websocketUrl);
    second.send({ connect: {} });
    expect(await second.closed()).toMatchObject({ code: 3504 });
    first.websocket.close();
    await first.closed();
    await eventually('there is room', async () => {
      const third = await RawClient.open(websocketUrl);
      const reply = await third.request({ connect: {} }).catch(() => undefined); // 3504 ends it
      third.websocket.terminate();
      return reply?.connect !== undefined;
    });
  });
});

describe('bounds of one connection', () => {
  it('are those that the options say', async () => {
    const { websocketUrl, msg } = await embed({
      limits: { subscriptionsPerConnection: 1, channelNameBytes: 20, messageBytes: 1000 },
      ping: { intervalMs: 7000, timeoutMs: 2000 },
    });
    for (const name of ['public:shop.a', 'public:shop.b', 'public:shop.rather-long'])
      await msg.channels.openPublic(name);
    const client = await RawClient.open(websocketUrl);
    expect((await client.request({ connect: {} })).connect).toMatchObject({ ping: 7 });
    expect((await client.request({ subscribe: { channel: 'public:shop.rather-long' } })).error?.code).toBe(
      107,
    );
    expect((await client.request({ subscribe: { channel: 'public:shop.a' } })).subscribe).toBeDefined();
    expect((await client.request({ subscribe: { channel: 'public:shop.b' } })).error?.code).toBe(106);
    client.send({
      publish: { channel: 'public:shop.a', data: Buffer.from(JSON.stringify('x'.repeat(1000))) },
    });
    expect(await client.closed()).toMatchObject({ code: 1009 });
  });

  it('a pong that is waited for longer than until the next ping is refused', async () => {
    await expect(embed({ ping: { timeoutMs: 30_000 } })).rejects.toThrow(
      'server.ping.timeout must be smaller than server.ping.interval, 25 s; got 30 s',
    );
    const { stderr } = await runCli(['serve', '--ping-interval', '5s']);
    expect(stderr).toMatch(/^error: MSG_INVALID_ARGUMENT: server\.ping\.timeout must be smaller/);
  });
});

describe('/openapi.json', () => {
  it('is there when the option says so', async () => {
    const { url } = await embed({ openApi: true });
    const answer = await fetch(`${url}/openapi.json`);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await answer.json()).toMatchObject({ openapi: '3.1.1', servers: [{ url: '/' }] });
    const without = await embed();
    expect((await fetch(`${without.url}/openapi.json`)).status).toBe(404);
  });
});
