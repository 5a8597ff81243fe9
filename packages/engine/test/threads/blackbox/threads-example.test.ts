import { fileURLToPath } from 'node:url';
import { eventually, freePort, ShellProcess } from '@msg/testkit';
import { Centrifuge } from 'centrifuge';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EventLog } from '../../stock/event-log.ts';

const REPOSITORY = fileURLToPath(new URL('../../../../../', import.meta.url));
const THREADS = 2;

let port: number;
let server: ShellProcess;
const clients: Centrifuge[] = [];

beforeAll(async () => {
  port = await freePort();
  const program = '--conditions=msg-source examples/threads-engine/main.ts';
  server = new ShellProcess(`exec "${process.execPath}" ${program}`, {
    cwd: REPOSITORY,
    env: { PORT: String(port), THREADS: String(THREADS) },
  });
  for (let number = 1; number <= THREADS; number++)
    await server.printed('stdout', new RegExp(`/${number}\\.1 on ws:`));
});
afterAll(async () => {
  for (const client of clients) client.disconnect();
  await server.stop();
});

/** A subscriber, and what it sees. */
async function enter(name: string) {
  const client = new Centrifuge(`ws://127.0.0.1:${port}/connection/websocket`, {
    name,
    minReconnectDelay: 10,
    maxReconnectDelay: 100,
  });
  clients.push(client);
  const chat = client.newSubscription('room', { joinLeave: true });
  const events = new EventLog(chat, ['subscribed', 'publication', 'leave']);
  chat.subscribe();
  client.connect();
  await events.next('subscribed');
  return { client, chat, events };
}

it('clients on all threads are in one room, and the death of a thread costs them a reconnect and nothing else', async () => {
  // With so many connections both threads have some.
  const people = await Promise.all(Array.from({ length: 24 }, (_, n) => enter(`user-${n}`)));
  const [first, second] = people;
  if (first === undefined || second === undefined) throw new Error('there are not enough people');
  await first.chat.publish({ n: 1 });
  for (const { events } of people) await events.atLeast(1, 'publication');
  expect(Object.keys((await second.chat.presence()).clients)).toHaveLength(people.length);

  await first.client.rpc('crash', null).catch(() => {}); // the answer may be lost with the thread
  await server.printed('stdout', /\/[12]\.2 on ws:/);
  await eventually('everybody is back', async () => {
    const { numClients } = await second.chat.presenceStats().catch(() => ({ numClients: 0 }));
    return numClients === people.length && people.every(({ client }) => client.state === 'connected');
  });
  await second.chat.publish({ n: 2 });
  for (const { events } of people) {
    await events.atLeast(2, 'publication');
    expect(events.all('publication').map(({ data, offset }) => [data, offset])).toEqual([
      [{ n: 1 }, 1],
      [{ n: 2 }, 2],
    ]);
    for (const { wasRecovering, recovered } of events.all('subscribed'))
      expect(recovered).toBe(wasRecovering);
  }
});

it('SIGTERM tells clients to come back later, and ends all threads and the process', async () => {
  const { client } = await enter('last');
  const told = new Promise(resolve => client.once('connecting', ({ code }) => resolve(code)));
  process.kill(server.pid, 'SIGTERM');
  expect(await told).toBe(3001);
  await server.succeeded();
});
