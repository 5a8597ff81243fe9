import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '@msg/testkit';
import { HostileSocket, rawRequest } from '@msg/testkit/hostile';
import { Centrifuge } from 'centrifuge';
import { EventSource } from 'eventsource';
import { afterEach, describe, expect, it } from 'vitest';
import { rpcOf } from '../support/rpc.ts';
import { type Listening, MOUNTINGS, type MountingRow, nameOf } from './frameworks/names.ts';

const APP = new URL('./frameworks/app.ts', import.meta.url);
const REMEDY = 'the body was read by a parser before msg: mount msg first';
const CHANNEL = 'public:app.news';
const TRANSPORTS = ['http_stream', 'sse', 'websocket'] as const;

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    const exited = once(child, 'exit');
    child.disconnect();
    await exited;
  }
});

/** Starts an application; in a process of its own, where packages resolve as in any program. */
async function start(row: MountingRow): Promise<Listening> {
  const name = nameOf(row);
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

async function callApi({ url, key }: Listening, data: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const body = JSON.stringify({ channel: CHANNEL, data });
  return fetch(`${url}/api/publish`, { method: 'POST', headers, body });
}

/** A stock client over one transport: what it receives of a publication by the RPC and of one by the HTTP API. */
async function receives(
  application: Listening,
  transport: (typeof TRANSPORTS)[number],
): Promise<readonly unknown[]> {
  const { url, token } = application;
  const endpoint = `${transport === 'websocket' ? url.replace('http', 'ws') : url}/connection/${transport}`;
  const client = new Centrifuge([{ transport, endpoint }], {
    emulationEndpoint: `${url}/emulation`,
    eventsource: EventSource,
    websocket: WebSocket,
  });
  try {
    const rpc = rpcOf(url, token);
    expect((await rpc('OpenPublic', { name: CHANNEL })).status).toBe(200);
    const subscription = client.newSubscription(CHANNEL);
    const publications: unknown[] = [];
    subscription.on('publication', ({ data }) => publications.push(data));
    client.connect();
    await client.ready(60_000);
    // Over HTTP through the emulation endpoint: the stream is open already.
    subscription.subscribe();
    await subscription.ready(60_000);
    expect((await rpc('Publish', { name: CHANNEL, json: { rpc: 1 } })).status).toBe(200);
    const answer = await callApi(application, { api: 1 });
    expect([answer.status, Object.keys((await answer.json()) as object)]).toEqual([200, ['result']]);
    await eventually('both publications', () => publications.length === 2);
    return publications;
  } finally {
    client.disconnect();
  }
}

const rows = MOUNTINGS.map(row => [nameOf(row), row] as const);

describe('msg in an application of', () => {
  it.each(rows.filter(([, { hasBodies }]) => hasBodies))(
    '%s serves the RPC, the HTTP API and clients over every transport, and the application reads its own bodies',
    async (_name, row) => {
      const application = await start(row);
      for (const transport of TRANSPORTS)
        expect(await receives(application, transport), transport).toEqual([{ rpc: 1 }, { api: 1 }]);
      expect(await echo(application.url)).toEqual({ echo: { own: 1 } });
    },
  );

  it.each(rows.filter(([, { hasBodies }]) => !hasBodies))(
    '%s answers what the parser took away with the remedy, at once',
    async (_name, row) => {
      const application = await start(row);
      const { url, token } = application;
      const answer = await rpcOf(url, token)('ListChannels', {});
      expect(answer).toMatchObject({ status: 500, body: { code: 'internal', msg: REMEDY } });
      expect((await callApi(application, 1)).status).toBe(500);
      for (const target of ['/connection/http_stream', '/connection/sse', '/emulation']) {
        const socket = await HostileSocket.open(url);
        const headers = [['Content-Type', 'application/json']] as const;
        socket.send(rawRequest({ method: 'POST', target, headers, body: '{}' }));
        const { status, body } = await socket.response();
        expect([status, body.toString()]).toEqual([500, REMEDY]);
        socket.destroy();
      }
      const client = new Centrifuge(`${url.replace('http', 'ws')}/connection/websocket`, {
        websocket: WebSocket,
      });
      client.connect();
      await client.ready(60_000);
      client.disconnect();
      expect(await echo(url)).toEqual({ echo: { own: 1 } });
    },
  );
});
