import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '@msg/testkit';
import { HostileSocket, rawRequest } from '@msg/testkit/hostile';
import { Centrifuge } from 'centrifuge';
import { afterEach, describe, expect, it } from 'vitest';
import { rpcOf } from '../support/rpc.ts';
import { type FrameworkName, type Listening, SERVING, WITHOUT_BODY } from './frameworks/names.ts';

const APP = new URL('./frameworks/app.ts', import.meta.url);
const REMEDY = 'the body was read by a parser before msg: mount msg first';
const CHANNEL = 'public:app.news';

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    const exited = once(child, 'exit');
    child.disconnect();
    await exited;
  }
});

/** Starts an application; in a process of its own, where packages resolve as in any program. */
async function start(name: FrameworkName): Promise<Listening> {
  const child = fork(APP, [name], { execArgv: ['--conditions=msg-source'], stdio: 'inherit' });
  const listening = once(child, 'message') as Promise<[Listening]>; // all that it sends
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${name} ended with ${code}`);
  });
  const [address] = await Promise.race([listening, ended]);
  ended.catch(() => {});
  children.push(child);
  return address;
}

/** The application's own route still gets its parsed body. */
async function echo(url: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${url}/echo`, { method: 'POST', headers, body: '{"own":1}' })).json();
}

/** A stock client over HTTP: what it receives of one publication by the RPC. */
async function received({ url, token }: Listening): Promise<unknown> {
  const client = new Centrifuge([{ transport: 'http_stream', endpoint: `${url}/connection/http_stream` }], {
    emulationEndpoint: `${url}/emulation`,
  });
  try {
    const rpc = rpcOf(url, token);
    expect((await rpc('OpenPublic', { name: CHANNEL })).status).toBe(200);
    const subscription = client.newSubscription(CHANNEL);
    const publications: unknown[] = [];
    subscription.on('publication', ({ data }) => publications.push(data));
    client.connect();
    await client.ready(60_000);
    // Through the emulation endpoint: the stream is open already.
    subscription.subscribe();
    await subscription.ready(60_000);
    const data = Buffer.from('{"n":1}').toString('base64');
    expect((await rpc('Publish', { name: CHANNEL, data })).status).toBe(200);
    await eventually('the publication', () => publications.length === 1);
    return publications[0];
  } finally {
    client.disconnect();
  }
}

describe.each(SERVING)('%s', name => {
  it('serves the RPC and clients over HTTP, and the application reads its own bodies', async () => {
    const application = await start(name);
    expect(await received(application)).toEqual({ n: 1 });
    expect(await echo(application.url)).toEqual({ echo: { own: 1 } });
  });
});

describe.each(WITHOUT_BODY)('%s', name => {
  it('answers what the parser took away with the remedy, at once', async () => {
    const { url, token } = await start(name);
    const answer = await rpcOf(url, token)('ListChannels', {});
    expect(answer).toMatchObject({ status: 500, body: { code: 'internal', msg: REMEDY } });
    for (const target of ['/connection/http_stream', '/connection/sse', '/emulation']) {
      const socket = await HostileSocket.open(url);
      const headers = [['Content-Type', 'application/json']] as const;
      socket.send(rawRequest({ method: 'POST', target, headers, body: '{}' }));
      const { status, body } = await socket.response();
      expect([status, body.toString()]).toEqual([500, REMEDY]);
      socket.destroy();
    }
    expect(await echo(url)).toEqual({ echo: { own: 1 } });
  });
});
