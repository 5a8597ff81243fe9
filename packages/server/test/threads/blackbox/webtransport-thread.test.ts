import { eventually, ShortLivedCertificate } from '@msg/testkit';
import { Centrifuge } from 'centrifuge';
import { WebTransport } from 'rwebtransport';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { manifestOf, rpcOf } from '../../support/rpc.ts';
import { received } from '../../support/stock-client.ts';
import { type FaultyServer, seriesOf, startFaultyServer } from '../../support/threads.ts';

const WAIT_MS = 40_000;
const certificate = new ShortLivedCertificate();

/** The stack's own client, which trusts the certificate of this file. */
class TrustingWebTransport extends WebTransport {
  constructor(url: string) {
    const value = new Uint8Array(certificate.hash);
    super(url, { serverCertificateHashes: [{ algorithm: 'sha-256', value }] });
  }
}

let server: FaultyServer;
let endpoint: string;
let rpc: ReturnType<typeof rpcOf>;
const clients: Centrifuge[] = [];

beforeAll(async () => {
  // The stock client takes what browsers have.
  Object.assign(globalThis, { WebTransport: TrustingWebTransport });
  const { certFile, keyFile } = certificate;
  const listener = ['--webtransport-addr', '127.0.0.1:0', '--webtransport-cert', certFile];
  server = await startFaultyServer({
    args: ['--threads', '2', ...listener, '--webtransport-key', keyFile],
  });
  const { webtransport_port: port } = await manifestOf(server.url);
  endpoint = `https://127.0.0.1:${port}/connection/webtransport`;
  rpc = rpcOf(server.url, server.token);
});
afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
});
afterAll(async () => {
  await server.stop();
  certificate.remove();
});

function clientOf(): Centrifuge {
  const client = new Centrifuge([{ transport: 'webtransport', endpoint }], {
    minReconnectDelay: 10,
    maxReconnectDelay: 500,
  });
  client.on('error', () => {}); // the test looks at what arrives
  clients.push(client);
  return client;
}

/** What the thread with the listener holds, as main counts it for placement. */
async function ofFirst(): Promise<number> {
  return (await seriesOf(server.url, 'msg_thread_connections{thread="1"}')) ?? 0;
}

test('the manifest of every thread names the port, and sessions count among the connections of the first thread', async () => {
  for (let request = 0; request < 6; request++) {
    const response = await fetch(`${server.url}/manifest`, { headers: { connection: 'close' } });
    const { payload } = (await response.json()) as { payload: { webtransport_port: number } };
    expect(endpoint).toContain(`:${payload.webtransport_port}/`);
  }
  const opened = Array.from({ length: 6 }, clientOf);
  for (const client of opened) client.connect();
  await Promise.all(opened.map(client => client.ready(WAIT_MS)));
  expect(await ofFirst()).toBeGreaterThanOrEqual(6);
  // The connection that asks goes to the other one, which has fewer.
  expect(await seriesOf(server.url, 'msg_thread_connections{thread="2"}')).toBeLessThan(6);
  for (const client of opened) client.disconnect();
  await eventually('their places are free', async () => (await ofFirst()) < 6, WAIT_MS);
});

test('after the end of the first thread the port is open again, and its clients recover what they missed', async () => {
  const name = 'public:threads.udp';
  await rpc('OpenPublic', { name });
  const client = clientOf();
  const subscription = client.newSubscription(name);
  const publications = received(subscription);
  subscription.subscribe();
  client.connect();
  await subscription.ready(WAIT_MS);
  const publish = (n: number) =>
    rpc('Publish', { name, data: Buffer.from(`{"n":${n}}`).toString('base64') }).catch(() => undefined);
  await publish(1);
  await eventually('the first publication', () => publications.length === 1, WAIT_MS);
  const back = new Promise<boolean>(resolve =>
    subscription.on('subscribed', ({ recovered }) => resolve(recovered)),
  );
  await server.fail(1, 'exit');
  await eventually('the second publication', async () => (await publish(2))?.status === 200, WAIT_MS);
  expect(await back).toBe(true);
  await eventually('it arrives', () => publications.length >= 2, WAIT_MS);
  expect(publications.map(({ data }) => data.n)).toEqual([1, 2]);
  const { webtransport_port: port } = await manifestOf(server.url);
  expect(endpoint).toContain(`:${port}/`);
});
