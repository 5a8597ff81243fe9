import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@msg/testkit';
import type { PublicationContext } from 'centrifuge';
import { afterEach, expect, test } from 'vitest';
import { rpcOf } from '../../support/rpc.ts';
import { closeClients, received, stockClient } from '../../support/stock-client.ts';
import { type FaultyServer, seriesOf, startFaultyServer } from '../../support/threads.ts';

let server: FaultyServer;
afterEach(async () => {
  closeClients();
  await server.stop();
});

const CHANNELS = Array.from({ length: 10 }, (_, n) => `public:faults.c${n}`);
const CLIENTS = 6;
const WAIT_MS = 120_000;
/** Longer than the 30 s after which a silent thread is ended. */
const STOPPED_MS = 40_000;

/** What one client heard. */
interface Heard {
  /** By channel. */
  readonly publications: readonly PublicationContext[][];
  readonly recoveries: readonly boolean[];
}

/** Clients that hear all channels, and a publisher that numbers what it publishes into each. */
async function play() {
  const rpc = rpcOf(server.url, server.token);
  for (const name of CHANNELS) await rpc('OpenPublic', { name });
  const heard: Heard[] = [];
  for (let n = 0; n < CLIENTS; n++) {
    const client = stockClient(server.websocketUrl);
    const subscriptions = CHANNELS.map(name => client.newSubscription(name));
    const publications = subscriptions.map(received);
    const recoveries: boolean[] = [];
    for (const subscription of subscriptions) {
      subscription.on('subscribed', ({ wasRecovering, recovered }) => {
        if (wasRecovering) recoveries.push(recovered);
      });
      subscription.subscribe();
    }
    client.connect();
    for (const subscription of subscriptions) await subscription.ready(WAIT_MS);
    heard.push({ publications, recoveries });
  }
  let sent = 0;
  /** One number into each channel; again, with its key, while the thread that takes it ends. */
  const publish = async (): Promise<void> => {
    const n = ++sent;
    const data = Buffer.from(JSON.stringify({ n })).toString('base64');
    await Promise.all(
      CHANNELS.map(name =>
        eventually(
          'the publish is taken',
          () =>
            rpc('Publish', { name, data, idempotency_key: `n${n}` }).then(
              ({ status }) => status === 200,
              () => false,
            ),
          WAIT_MS,
        ),
      ),
    );
  };
  /** Every client heard every number of every channel once, and continuity was proven each time. */
  const verify = async (): Promise<void> => {
    const numbers = Array.from({ length: sent }, (_, index) => index + 1);
    await eventually(
      'all have all',
      () => heard.every(({ publications }) => publications.every(list => list.length >= sent)),
      WAIT_MS,
    );
    for (const { publications, recoveries } of heard) {
      for (const list of publications) expect(list.map(({ data }) => data.n)).toEqual(numbers);
      expect(recoveries).toEqual(recoveries.map(() => true));
    }
  };
  return { publish, verify, heard };
}

test('a thread in an endless loop is ended after 30 s, and its clients lose nothing', async () => {
  server = await startFaultyServer({ args: ['--threads', '2', '--access-log', 'off'] });
  const { publish, verify } = await play();
  await publish();
  await server.fail(2, 'loop');
  await eventually('it was ended', () => server.output().stderr.includes('"cause":"stuck"'), WAIT_MS);
  for (let n = 0; n < 10; n++) await publish();
  await verify();
  expect(server.output().stderr).toContain('a thread has been silent for 10 s');
  await eventually(
    'both serve',
    async () => (await seriesOf(server.url, 'msg_thread_up{thread="2"}')) === 1,
    WAIT_MS,
  );
}, 180_000);

test('a thread that stalls for 3 s is not ended, and its clients get everything afterwards', async () => {
  server = await startFaultyServer({ args: ['--threads', '2', '--access-log', 'off'] });
  const { publish, verify } = await play();
  await publish();
  await server.fail(1, 'stall');
  for (let n = 0; n < 20; n++) await publish();
  await verify();
  expect(server.output().stderr).not.toContain('a thread has ended');
}, 120_000);

test('three threads that die in one second cost reconnects alone', async () => {
  server = await startFaultyServer({ args: ['--threads', '3', '--access-log', 'off'] });
  const { publish, verify, heard } = await play();
  await publish();
  await Promise.all([server.fail(1, 'throw'), server.fail(2, 'exit'), server.fail(3, 'throw')]);
  for (let n = 0; n < 20; n++) await publish();
  await verify();
  expect(heard.every(({ recoveries }) => recoveries.length > 0)).toBe(true);
}, 120_000);

test('a thread that dies again and again never ends the process', async () => {
  server = await startFaultyServer({ args: ['--threads', '2', '--access-log', 'off'] });
  const { publish, verify } = await play();
  for (let death = 1; death <= 4; death++) {
    await eventually(
      'it serves',
      async () => (await seriesOf(server.url, 'msg_thread_up{thread="1"}')) === 1,
      WAIT_MS,
    );
    await publish();
    await server.fail(1, 'throw');
    await eventually(
      'it died',
      async () =>
        (await seriesOf(server.url, 'msg_thread_restarts_total{thread="1",cause="error"}')) === death,
      WAIT_MS,
    );
    await publish();
  }
  await verify();
}, 180_000);

test('a process that was stopped as a whole for longer than a thread may be silent ends none', async () => {
  server = await startFaultyServer({ args: ['--threads', '2', '--access-log', 'off'] });
  const { publish, verify } = await play();
  await publish();
  server.kill('SIGSTOP');
  await pause(STOPPED_MS);
  server.kill('SIGCONT');
  for (let n = 0; n < 5; n++) await publish();
  await verify();
  expect(server.output().stderr).not.toMatch(/a thread has (?:ended|been silent)/);
}, 180_000);
