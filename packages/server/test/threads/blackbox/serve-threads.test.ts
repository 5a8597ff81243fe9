import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@msg/testkit';
import { afterEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folders.ts';
import { rpcOf } from '../../support/rpc.ts';
import { type Scrape, scrape } from '../../support/scrape.ts';
import { closeClients, received, stockClient } from '../../support/stock-client.ts';
import {
  busiestThread,
  type FaultyServer,
  seriesOf,
  stallUntilLate,
  startFaultyServer,
} from '../../support/threads.ts';

let server: FaultyServer;
afterEach(async () => {
  closeClients();
  await server.stop();
});

const CLIENTS = 8;
const CHANNEL = 'public:threads.news';
const PUBLISHES = 'msg_publishes_total{channel_visibility="public",result="success"}';

type Caller = ReturnType<typeof rpcOf>;

/** Publishes the number `n`, again while the thread that takes it ends: a key makes it one publication. */
async function publish(rpc: Caller, n: number): Promise<void> {
  const data = Buffer.from(JSON.stringify({ n })).toString('base64');
  const request = { name: CHANNEL, data, idempotency_key: `n${n}` };
  await eventually('the publish is taken', () =>
    rpc('Publish', request).then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
}

async function subscribers() {
  const all = [];
  for (let n = 0; n < CLIENTS; n++) {
    const client = stockClient(server.websocketUrl);
    const subscription = client.newSubscription(CHANNEL);
    const publications = received(subscription);
    const recoveries: boolean[] = [];
    subscription.on('subscribed', ({ wasRecovering, recovered }) => {
      if (wasRecovering) recoveries.push(recovered);
    });
    subscription.subscribe();
    client.connect();
    await subscription.ready(60_000);
    all.push({ client, publications, recoveries });
  }
  return all;
}

const numbersTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

test('clients of all threads get every publication, whichever thread took it, and presence counts them all', async () => {
  server = await startFaultyServer({ args: ['--threads', '2'] });
  const rpc = rpcOf(server.url, server.token);
  await rpc('OpenPublic', { name: CHANNEL });
  const people = await subscribers();
  for (const n of numbersTo(20)) await publish(rpc, n);
  await eventually('all have all', () => people.every(({ publications }) => publications.length === 20));
  for (const { publications } of people)
    expect(publications.map(({ offset }) => offset)).toEqual(numbersTo(20));
  expect((await rpc('Presence', { name: CHANNEL })).body).toEqual({ subscribers: CLIENTS });
  expect(await seriesOf(server.url, PUBLISHES)).toBe(20);
});

test('work is told by thread, main included, and the process is as late as its latest thread', async () => {
  const config = join(await temporaryFolder(), 'msg.yaml');
  await writeFile(config, 'region: eu\n');
  server = await startFaultyServer({ args: ['--threads', '2', '--config', config] });
  let last = await scrape(server.url); // begins to measure the event loops
  /** Scrapes until what it asks for is so; a thread that ends answers nothing. */
  const becomes = (what: string, holds: (now: Scrape) => boolean) =>
    eventually(what, async () => {
      last = await scrape(server.url).catch(() => last);
      return holds(last);
    });
  const of = (thread: string) => ({ region: 'eu', thread });
  const threads = ['main', '1', '2'];
  await becomes('event loops are measured', now =>
    threads.every(thread => now.samples('msg_thread_eventloop_lag_p99_seconds', of(thread)).length === 1),
  );
  const first = last;
  for (const thread of threads) {
    expect(first.value('msg_thread_cpu_seconds_total', of(thread))).toBeGreaterThan(0);
    expect(first.value('msg_thread_heap_bytes', of(thread))).toBeGreaterThan(1e6);
  }
  for (const thread of ['1', '2'])
    for (const direction of ['up', 'down'])
      expect(first.samples('msg_thread_ring_bytes', { ...of(thread), direction })).toHaveLength(1);
  const late = await stallUntilLate(server, 2);
  expect(late.value('nodejs_eventloop_lag_p99_seconds', { region: 'eu' })).toBeGreaterThan(1);
  await server.fail(2, 'throw');
  await becomes(
    'it serves again',
    now =>
      now.value('msg_thread_restarts_total', { ...of('2'), cause: 'error' }) === 1 &&
      now.value('msg_thread_up', of('2')) === 1,
  );
  for (const thread of threads) {
    const cpu = (at: Scrape): number => at.value('msg_thread_cpu_seconds_total', of(thread));
    expect(cpu(last)).toBeGreaterThanOrEqual(cpu(first));
  }
}, 180_000);

test.each([
  ['throw', 'error'],
  ['exit', 'error'],
  ['memory', 'memory'],
] as const)(
  'a thread that ends by %s costs its clients a reconnect and nobody a message',
  async (fault, cause) => {
    server = await startFaultyServer({ args: ['--threads', '2', '--access-log', 'off'] });
    const rpc = rpcOf(server.url, server.token);
    await rpc('OpenPublic', { name: CHANNEL });
    const people = await subscribers();
    for (const n of numbersTo(20)) await publish(rpc, n);
    const before = (await seriesOf(server.url, PUBLISHES)) ?? 0;
    const victim = await busiestThread(server.url);
    await server.fail(victim, fault);
    let sent = 20;
    await eventually('clients have recovered', async () => {
      await publish(rpc, ++sent);
      return people.some(({ recoveries }) => recoveries.length > 0);
    });
    await eventually('the thread serves again', async () => {
      await publish(rpc, ++sent);
      return (await seriesOf(server.url, `msg_thread_up{thread="${victim}"}`)) === 1;
    });
    await eventually('all have all', () => people.every(({ publications }) => publications.length >= sent));
    for (const { publications, recoveries } of people) {
      expect(publications.map(({ data }) => data.n)).toEqual(numbersTo(sent));
      expect(recoveries).toEqual(recoveries.map(() => true));
    }
    expect(await seriesOf(server.url, PUBLISHES)).toBeGreaterThanOrEqual(before);
    const restarts = `msg_thread_restarts_total{thread="${victim}",cause="${cause}"}`;
    expect(await seriesOf(server.url, restarts)).toBe(1);
    await eventually('presence is right', async () => {
      const { body } = await rpc('Presence', { name: CHANNEL });
      return body['subscribers'] === CLIENTS;
    });
  },
);

test('SIGTERM tells the clients of all threads to come back later and ends the process with 0', async () => {
  server = await startFaultyServer({ args: ['--threads', '2'] });
  await rpcOf(server.url, server.token)('OpenPublic', { name: CHANNEL });
  const people = await subscribers();
  const told = people.map(
    ({ client }) => new Promise(resolve => client.once('connecting', ({ code }) => resolve(code))),
  );
  server.kill('SIGTERM');
  expect(await Promise.all(told)).toEqual(people.map(() => 3001));
  closeClients();
  expect(await server.exited()).toEqual({ code: 0, signal: null });
});
