import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Msg, type MsgOptions } from '@msg/server';
import { eventually } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { rpcOf } from './support/rpc.ts';
import { closeClients, received, stockClient } from './support/stock-client.ts';

const CHANNEL = 'public:app.news';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  closeClients();
  for (const close of closing.splice(0)) await close();
});

async function start(options: MsgOptions = {}): Promise<Msg> {
  const msg = await Msg.start(options);
  closing.push(() => msg.stop());
  return msg;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a bound TCP server
}

/** A server of the application that mounts the service as middleware. */
async function mounted(msg: Msg, before: (request: IncomingMessage) => void = () => {}): Promise<string> {
  const handle = msg.handler();
  const server = createServer((request, response) => {
    before(request);
    handle(request, response, () => response.end(`the application: ${request.url}`));
  });
  msg.attach(server);
  return listen(server);
}

const textOf = async (url: string): Promise<string> => (await fetch(url)).text();
const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

/** What a stock client receives of one publication. */
async function receives(url: string, msg: Msg): Promise<unknown> {
  await msg.channels.openPublic(CHANNEL);
  const client = stockClient(`${url.replace('http', 'ws')}/connection/websocket`);
  const subscription = client.newSubscription(CHANNEL);
  const publications = received(subscription);
  subscription.subscribe();
  client.connect();
  await subscription.ready(60_000);
  const token = msg.tokens.issueManagement().token;
  expect((await rpcOf(url, token)('Publish', { name: CHANNEL, json: { n: 1 } })).status).toBe(200);
  await eventually('the publication', () => publications.length === 1);
  return publications[0]?.data;
}

describe('a handler with a third argument', () => {
  it('passes on what is not the service’s, and answers what is', async () => {
    const url = await mounted(await start());
    expect(await textOf(`${url}/orders?id=7`)).toBe('the application: /orders?id=7');
    expect(await textOf(`${url}/twirp/other.Service/Get`)).toBe('the application: /twirp/other.Service/Get');
    expect(await textOf(`${url}/connection/other`)).toBe('the application: /connection/other');
    expect(await textOf(`${url}/healthz`)).toBe('ok');
    expect(await statusOf(`${url}/twirp/msg.MsgService/Nothing`)).toBe(401);
  });

  it('answers 404 without one', async () => {
    const msg = await start();
    const url = await listen(createServer(msg.handler()));
    expect(await statusOf(`${url}/orders`)).toBe(404);
  });
});

describe('a base path', () => {
  it('holds every route and the upgrade', async () => {
    const msg = await start({ basePath: '/rt' });
    const url = await mounted(msg);
    expect(await receives(`${url}/rt`, msg)).toEqual({ n: 1 });
    expect(await textOf(`${url}/rt/healthz`)).toBe('ok');
    expect(msg.manifest().payload.metrics_path).toBe('/rt/metrics');
    expect(await statusOf(`${url}/rt/metrics`)).toBe(200);
    for (const path of ['/healthz', '/rt', '/rtx/healthz', '/rt/orders'])
      expect(await textOf(url + path)).toBe(`the application: ${path}`);
  });

  it('is compared with originalUrl, so that a framework may cut it off', async () => {
    const url = await mounted(await start({ basePath: '/rt' }), request => {
      Object.assign(request, { originalUrl: request.url, url: request.url?.replace(/^\/rt/, '') || '/' });
    });
    expect(await textOf(`${url}/rt/healthz`)).toBe('ok');
    expect(await textOf(`${url}/healthz`)).toBe('the application: /healthz');
  });

  it('lets two services share one server', async () => {
    const [one, two] = [await start({ basePath: '/one' }), await start({ basePath: '/two' })];
    const [first, second] = [one.handler(), two.handler()];
    const server = createServer((request, response) =>
      first(request, response, () => second(request, response, () => response.end('the application'))),
    );
    one.attach(server);
    two.attach(server);
    const url = await listen(server);
    expect(await receives(`${url}/one`, one)).toEqual({ n: 1 });
    expect(await receives(`${url}/two`, two)).toEqual({ n: 1 });
    expect(await textOf(url)).toBe('the application');
    const token = one.tokens.issueManagement().token;
    expect((await rpcOf(`${url}/two`, token)('ListChannels', {})).status).toBe(401);
  });

  it('counts for a server of the service’s own, too', async () => {
    const msg = await start({ basePath: '/rt' });
    const { url } = await msg.listen({ port: 0 });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/rt$/);
    expect(await textOf(`${url}/healthz`)).toBe('ok');
    expect(await statusOf(new URL('/healthz', url).href)).toBe(404);
  });

  it.each(['rt', '/rt/', '/r t', '//', 'http://x/'])('is refused as %j', async basePath => {
    await expect(Msg.create({ basePath })).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message: expect.stringMatching(/^server\.base_path must be a path such as \/rt/),
    });
  });
});

describe('routes that are switched off', () => {
  it.each([
    ['metrics', '/metrics'],
    ['health', '/healthz'],
    ['health', '/readyz'],
    ['manifest', '/manifest'],
    ['jwks', '/msg/jwks.json'],
    ['debugStream', '/sse'],
    ['schemas', '/schemas'],
    ['clientScript', '/msg.js'],
    ['rpc', '/twirp/msg.MsgService/Manifest'],
  ])('%s takes %s off, and nothing else', async (route, path) => {
    const url = await mounted(await start({ routes: { [route]: false } }));
    expect(await textOf(url + path)).toBe(`the application: ${path}`);
    const other = route === 'health' ? '/manifest' : '/healthz';
    expect(await textOf(url + other)).not.toMatch(/^the application/);
  });

  it('are not in the manifest', async () => {
    const { payload } = (await start({ routes: { metrics: false, clientScript: false } })).manifest();
    expect(payload).toMatchObject({ metrics_enabled: false, metrics_path: '' });
    expect(payload).not.toHaveProperty('client_script');
  });
});
