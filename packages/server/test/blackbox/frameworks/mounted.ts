import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '@msg/testkit';
import { Centrifuge } from 'centrifuge';
import { EventSource } from 'eventsource';
import { expect } from 'vitest';
import { rpcOf } from '../../support/rpc.ts';
import { type Listening, type MountingRow, nameOf } from './names.ts';

const APP = new URL('./app.ts', import.meta.url);
const CHANNEL = 'public:app.news';
const TRANSPORTS = ['http_stream', 'sse', 'websocket'] as const;

const children: ChildProcess[] = [];

/** Ends the applications that were started. */
export async function endApplications(): Promise<void> {
  for (const child of children.splice(0)) {
    const exited = once(child, 'exit');
    child.disconnect();
    await exited;
  }
}

/** Starts an application; in a process of its own, where packages resolve as in any program. */
export async function startApplication(row: MountingRow, env: NodeJS.ProcessEnv = {}): Promise<Listening> {
  const name = nameOf(row);
  const child = fork(APP, [name], {
    execArgv: ['--conditions=msg-source'],
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
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
export async function echo(url: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${url}/echo`, { method: 'POST', headers, body: '{"own":1}' })).json();
}

export async function callApi({ service, key }: Listening, data: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const body = JSON.stringify({ channel: CHANNEL, data });
  return fetch(`${service}/api/publish`, { method: 'POST', headers, body });
}

/** A stock client over one transport: what it receives of a publication by the RPC and of one by the HTTP API. */
async function receives(
  application: Listening,
  transport: (typeof TRANSPORTS)[number],
): Promise<readonly unknown[]> {
  const { service: url, token } = application;
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

/** Everything that an application is tried with. */
export async function worksIn(application: Listening): Promise<void> {
  for (const transport of TRANSPORTS)
    expect(await receives(application, transport), transport).toEqual([{ rpc: 1 }, { api: 1 }]);
  expect(await echo(application.url)).toEqual({ echo: { own: 1 } });
}
