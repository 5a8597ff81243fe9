import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rpcOf } from '../../packages/server/test/support/rpc.ts';
import { Scrape } from '../../packages/server/test/support/scrape.ts';
import { closeClients, stockClient } from '../../packages/server/test/support/stock-client.ts';
import {
  type FaultyServer,
  stallUntilLate,
  startFaultyServer,
} from '../../packages/server/test/support/threads.ts';
import { BEFORE, expectFiring, seriesBetween, seriesNamed } from '../support/promtool.ts';

const CHANNEL = 'public:shop.news';
/** The ring to a thread and what may wait beside it are full. */
const MORE_THAN_FITS = 24 * 1024 * 1024;
const BODY_BYTES = 45_000;
const AT_ONCE = 16;
/** Clients of both threads together. */
const CLIENTS = 240;

let folder: string;
let server: FaultyServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thread-alerts-'));
  server = await startFaultyServer({ args: ['--threads', '2', '--access-log', 'off'] });
  await rpcOf(server.url, server.token)('OpenPublic', { name: CHANNEL });
}, 60_000);
afterAll(async () => {
  closeClients();
  await server.stop();
  await rm(folder, { recursive: true });
}, 60_000);

/** A request with a connection of its own, which main gives to a thread that is not silent. */
function call(path: string, body?: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
    const method = body === undefined ? 'GET' : 'POST';
    const options = { method, headers, agent: false, timeout: 2000 };
    const call = request(`${server.url}${path}`, options, response => {
      const read = text(response);
      if (response.statusCode === 200) read.then(resolve, reject);
      else reject(new Error(`${path} answers ${response.statusCode}`));
    });
    call.on('error', reject);
    call.on('timeout', () => call.destroy(new Error('the thread does not answer')));
    call.end(body === undefined ? '' : JSON.stringify(body));
  });
}

/** What a promise answers; undefined when it fails. */
const orNone = <Value>(work: Promise<Value>): Promise<Value | undefined> => work.catch(() => undefined);

/** Scrapes until what it asks for is so. */
async function scrapeUntil(what: string, holds: (now: Scrape) => boolean): Promise<Scrape> {
  let last: Scrape | undefined;
  await eventually(what, async () => {
    const answer = await orNone(call('/metrics'));
    last = answer === undefined ? undefined : new Scrape(answer);
    return last !== undefined && holds(last);
  });
  return last as Scrape; // `eventually` has seen it
}

const bothServe = (now: Scrape): boolean => now.value('msg_thread_up') === 2;
const scrapeNow = (): Promise<Scrape> => scrapeUntil('both threads serve', bothServe);

/** A client that stays away when its connection ends. */
function clientThatStaysAway(): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(server.websocketUrl);
    socket.addEventListener('open', () => socket.send('{"id":1,"connect":{}}'));
    socket.addEventListener('message', ({ data }) => (data === '{}' ? socket.send('{}') : resolve(socket)));
    socket.addEventListener('close', () => reject(new Error('closed before it was connected')));
  });
}

/** Ends a thread; resolves when it serves again. */
async function endThread(thread: number): Promise<Scrape> {
  const restarts = (now: Scrape): number => now.value('msg_thread_restarts_total');
  const before = restarts(await scrapeNow());
  await server.fail(thread, 'throw');
  return scrapeUntil('it serves again', now => restarts(now) > before && bothServe(now));
}

/** What happens at a server, and the alert that fires for it. */
interface Case {
  readonly alert: string;
  readonly metrics: readonly string[];
  /** Minutes from the change to the alert. */
  readonly after: number;
  /** Answers the scrape that shows it. */
  happens(): Promise<Scrape>;
}

const CASES: readonly Case[] = [
  {
    alert: 'MsgMainBusy',
    metrics: ['msg_thread_eventloop_lag_p99_seconds'],
    after: 6,
    happens: () => stallUntilLate(server, 0),
  },
  {
    alert: 'MsgThreadRestarting',
    metrics: ['msg_thread_restarts_total'],
    after: 2,
    happens: () => endThread(1),
  },
  {
    alert: 'MsgThreadsUneven',
    metrics: ['msg_thread_connections'],
    after: 16,
    async happens() {
      const clients = await Promise.all(Array.from({ length: CLIENTS }, clientThatStaysAway));
      const uneven = await endThread(1);
      for (const client of clients) client.close();
      return uneven;
    },
  },
  {
    alert: 'MsgThreadDropping',
    metrics: ['msg_thread_dropped_total'],
    after: 2,
    async happens() {
      for (const client of [stockClient(server.websocketUrl), stockClient(server.websocketUrl)]) {
        const subscription = client.newSubscription(CHANNEL);
        subscription.subscribe();
        client.connect();
        await subscription.ready(30_000);
      }
      await server.fail(1, 'loop');
      const data = Buffer.alloc(BODY_BYTES, 'a').toString('base64');
      for (let sent = 0; sent < MORE_THAN_FITS; sent += AT_ONCE * BODY_BYTES) {
        const publishes = Array.from({ length: AT_ONCE }, () =>
          call('/twirp/msg.MsgService/Publish', { name: CHANNEL, data }),
        );
        await Promise.allSettled(publishes);
      }
      const full = await scrapeUntil('it has dropped some', now => now.value('msg_thread_dropped_total') > 0);
      // Its ring and what may wait beside it are as good as full.
      const waiting = full.value('msg_thread_ring_bytes', { thread: '1', direction: 'down' });
      expect(waiting).toBeGreaterThan(16 * 1024 * 1024);
      return full;
    },
  },
];

describe('an alert about threads in Prometheus', () => {
  it.each(CASES)(
    '$alert fires for what happens at a server, and not before',
    async ({ alert, metrics, after, happens }) => {
      const before = await scrapeNow();
      const series = seriesBetween(metrics, before, await happens());
      await expectFiring({ alert, series, after, folder });
    },
    120_000,
  );

  it('MsgMainBusy fires for main that needs its core, too', async () => {
    const cpu = (values: string) => seriesNamed('msg_thread_cpu_seconds_total', { thread: 'main' }, values);
    const calm = `0+30x${BEFORE}`;
    const series = [cpu(`${calm} ${BEFORE * 30 + 55}+55x30`)];
    await expectFiring({ alert: 'MsgMainBusy', series, after: 12, folder });
    const halfBusy = expectFiring({ alert: 'MsgMainBusy', series: [cpu('0+40x40')], after: 12, folder });
    await expect(halfBusy).rejects.toThrow();
  });
});
