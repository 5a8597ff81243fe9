import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMsgError, Msg, MsgError } from '@msg/server';
import { eventually } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { closeClients, received, stockClient } from './support/stock-client.ts';

const CHANNEL = 'public:app.news';
const ANY_PORT = { listen: { port: 0 } };

const started: Msg[] = [];
const servers: Server[] = [];
afterEach(async () => {
  closeClients();
  await Promise.all(started.splice(0).map(msg => msg.stop()));
  for (const server of servers.splice(0)) server.close();
});

async function start(...[options]: Parameters<typeof Msg.start>): Promise<Msg> {
  const msg = await Msg.start(options);
  started.push(msg);
  return msg;
}

const urlOf = (msg: Msg): string => msg.addresses[0]?.url ?? '';
const isReady = async (url: string): Promise<number> => (await fetch(`${url}/readyz`)).status;

/** What a stock client receives after it has subscribed. */
async function listener(url: string) {
  const client = stockClient(`${url.replace('http', 'ws')}/connection/websocket`);
  const subscription = client.newSubscription(CHANNEL);
  const publications = received(subscription);
  subscription.subscribe();
  client.connect();
  await subscription.ready(60_000);
  return publications;
}

describe('a service that is started', () => {
  it('listens, is ready, and publishes values of JSON and bytes', async () => {
    const msg = await start(ANY_PORT);
    expect(await isReady(urlOf(msg))).toBe(200);
    await msg.channels.openPublic(CHANNEL);
    const publications = await listener(urlOf(msg));
    const payloads = [{ text: 'hé' }, 'test', [1, null], Buffer.from('{"bytes":true}')];
    for (const payload of payloads) await msg.publish(CHANNEL, payload);
    await msg.publish(CHANNEL, new TextEncoder().encode('true').buffer);
    await msg.publishOrSink(CHANNEL, { n: 6 }, 'none', null, {});
    await eventually('all of them', () => publications.length === 6);
    expect(publications.map(({ data }) => data)).toEqual([
      { text: 'hé' },
      'test',
      [1, null],
      { bytes: true },
      true,
      { n: 6 },
    ]);
  });

  it.each([
    ['undefined', undefined, /^payload must be a JSON value; got undefined/],
    ['a BigInt inside', { order: { total: 1n } }, /^payload\.order\.total must be/],
  ])('publishes nothing when the payload is %s', async (_case, payload, message) => {
    const msg = await start();
    await msg.channels.openPublic(CHANNEL);
    const refused = { code: 'MSG_INVALID_ARGUMENT', message: expect.stringMatching(message) };
    await expect(msg.publish(CHANNEL, payload as object)).rejects.toMatchObject(refused);
    const orSink = msg.publishOrSink(CHANNEL, payload as object, 'none', null, {});
    await expect(orSink).rejects.toMatchObject(refused);
    expect((await msg.publish(CHANNEL, 1)).offset).toBe(1);
  });

  it.each([
    ['a map', new Map([['room', 'a']])],
    ['an object', { room: 'a' }],
  ])('takes tags as %s', async (_form, tags) => {
    const msg = await start(ANY_PORT);
    await msg.channels.openPublic(CHANNEL);
    const publications = await listener(urlOf(msg));
    await msg.publish(CHANNEL, 1, { tags });
    await msg.publishOrSink(CHANNEL, 2, 'none', null, {}, undefined, { tags });
    await eventually('both', () => publications.length === 2);
    expect(publications.map(publication => publication.tags)).toEqual([{ room: 'a' }, { room: 'a' }]);
    await expect(msg.publish(CHANNEL, 3, { tags: { room: 7 as unknown as string } })).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message: 'tags.room must be a string; got number',
    });
  });

  it('stops once, however often it is told, and then listens no more', async () => {
    const msg = await start(ANY_PORT);
    const url = urlOf(msg);
    const [first, second] = [msg.stop(), msg.stop()];
    expect(second).toBe(first);
    await first;
    await msg.stop();
    await expect(fetch(url)).rejects.toThrow();
    await expect(msg.publish(CHANNEL, 1)).rejects.toMatchObject({ code: 'MSG_CHANNEL_NOT_FOUND' });
    await expect(msg.listen({ port: 0 })).rejects.toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
  });

  it('sends its clients elsewhere when it stops', async () => {
    const msg = await start(ANY_PORT);
    await msg.channels.openPublic(CHANNEL);
    const client = stockClient(`${urlOf(msg).replace('http', 'ws')}/connection/websocket`);
    const codes: number[] = [];
    client.on('connecting', ({ code }) => codes.push(code));
    client.connect();
    await client.ready(60_000);
    await msg.stop();
    await eventually('the client is told', () => codes.includes(3001));
  });

  it('is stopped at the end of a block that is `using` it', async () => {
    let url = '';
    {
      await using msg = await Msg.start(ANY_PORT);
      url = urlOf(msg);
      expect(await isReady(url)).toBe(200);
    }
    await expect(fetch(url)).rejects.toThrow();
  });

  it('takes the upgrades of a server of the application over, and leaves it open', async () => {
    const server = createServer((request, response) => handle(request, response));
    servers.push(server);
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const msg = await start({ server });
    const handle = msg.handler();
    await msg.channels.openPublic(CHANNEL);
    const { port } = server.address() as AddressInfo; // a bound TCP server
    const publications = await listener(`http://127.0.0.1:${port}`);
    await msg.publish(CHANNEL, { n: 1 });
    await eventually('the publication', () => publications.length === 1);
    await msg.stop();
    expect(server.listening).toBe(true);
  });

  it('says which address it cannot listen on, and holds nothing then', async () => {
    const msg = await start(ANY_PORT);
    const { port = 0 } = msg.addresses[0] ?? {};
    await expect(Msg.start({ listen: { port } })).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message: expect.stringMatching(`listening on 127.0.0.1:${port} is not possible: .*EADDRINUSE`),
    });
  });

  it('answers on a loopback address to loopback names alone, unless it is told other names', async () => {
    const statusOf = async (msg: Msg, host: string) => {
      const { hostname, port } = new URL(urlOf(msg));
      const { request } = await import('node:http');
      return new Promise<number | undefined>((resolve, reject) => {
        const call = request({ hostname, port, path: '/readyz', headers: { host } }, answer => {
          answer.resume();
          resolve(answer.statusCode);
        });
        call.on('error', reject);
        call.end();
      });
    };
    const closed = await start(ANY_PORT);
    expect(await statusOf(closed, 'localhost')).toBe(200);
    expect(await statusOf(closed, 'rebound.example')).toBe(403);
    const named = await start({ ...ANY_PORT, allowedHosts: ['app.example'] });
    expect([await statusOf(named, 'app.example'), await statusOf(named, 'rebound.example')]).toEqual([
      200, 403,
    ]);
    const open = await start({ listen: { host: '0.0.0.0', port: 0 } });
    expect(await statusOf(open, 'app.example')).toBe(200);
  });

  it('that was created and not run is closed by a stop', async () => {
    const msg = await Msg.create();
    await msg.listen({ port: 0 });
    expect(await isReady(urlOf(msg))).toBe(503);
    const url = urlOf(msg);
    await msg.stop();
    await expect(fetch(url)).rejects.toThrow();
    await expect(msg.run(new AbortController().signal)).rejects.toMatchObject({
      code: 'MSG_BROKER_INTERNAL',
    });
  });
});

describe('coded failures', () => {
  it('are known, also those of another copy of the package', async () => {
    const msg = await start();
    const error = await msg.publish(CHANNEL, 1).catch((cause: unknown) => cause);
    expect([isMsgError(error), error instanceof MsgError]).toEqual([true, true]);
    const foreign = Object.assign(new Error('text'), { name: 'MsgError', code: 'MSG_CHANNEL_NOT_FOUND' });
    expect(isMsgError(foreign)).toBe(true);
    for (const other of [
      new Error('text'),
      { ...foreign },
      Object.assign(new Error('x'), { name: 'MsgError', code: 'E' }),
    ])
      expect(isMsgError(other)).toBe(false);
  });
});
