import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, ShellProcess } from '@msg/testkit';
import { Centrifuge, type Subscription } from 'centrifuge';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EventLog } from '../../stock/event-log.ts';

const REPOSITORY = fileURLToPath(new URL('../../../../../', import.meta.url));

let port: number;
let server: ShellProcess;
const clients: Centrifuge[] = [];

/** Starts a program of the example, as its README says. */
function run(program: string, input = 'exec '): ShellProcess {
  return new ShellProcess(`${input}"${process.execPath}" ${program}`, {
    cwd: REPOSITORY,
    env: { PORT: String(port) },
  });
}

async function startServer(): Promise<void> {
  server = run('--conditions=msg-source examples/chat-engine/server.ts');
  await server.printed('stdout', /chat on ws:/);
}

function client(data: unknown): Centrifuge {
  const created = new Centrifuge(`ws://127.0.0.1:${port}/connection/websocket`, {
    data,
    minReconnectDelay: 10,
    maxReconnectDelay: 100,
  });
  clients.push(created);
  return created;
}

function watch(subscription: Subscription) {
  return new EventLog(subscription, ['subscribed', 'unsubscribed', 'publication', 'join', 'leave']);
}

/** A user who is in the room. */
async function enter(name: string, room: string) {
  const user = client({ name });
  const chat = user.newSubscription(room, { joinLeave: true });
  const events = watch(chat);
  chat.subscribe();
  user.connect();
  await events.next('subscribed');
  return { user, chat, events };
}

beforeAll(async () => {
  port = await freePort();
  await startServer();
});
afterEach(() => {
  for (const created of clients.splice(0)) created.disconnect();
});
afterAll(() => server.stop());

describe('the chat server of the examples', () => {
  it('lets two users talk, see each other come and go, and read what was said', async () => {
    const ann = await enter('ann', 'room:kitchen');
    const bob = await enter('bob', 'room:kitchen');
    await ann.events.atLeast(2, 'join');
    expect(ann.events.all('join').map(({ info }) => info.user)).toEqual(['ann', 'bob']);
    await ann.chat.publish({ text: 'hello bob' });
    await bob.chat.publish({ text: 'hello ann' });
    for (const { events } of [ann, bob]) {
      const said = await events.atLeast(2, 'publication');
      expect(said.map(({ data, info }) => [info?.user, data.text])).toEqual([
        ['ann', 'hello bob'],
        ['bob', 'hello ann'],
      ]);
    }
    const { publications } = await bob.chat.history({ limit: 1, reverse: true });
    expect(publications.map(({ data }) => data.text)).toEqual(['hello ann']);
    const { clients: present } = await ann.chat.presence();
    expect(
      Object.values(present)
        .map(({ user }) => user)
        .sort(),
    ).toEqual(['ann', 'bob']);
    bob.user.disconnect();
    expect((await ann.events.next('leave')).info.user).toBe('bob');
  });

  it('tells by rpc which rooms a user is in, and refuses unknown methods', async () => {
    const { user } = await enter('ann', 'room:garden');
    await enter('bob', 'room:garden');
    expect((await user.rpc('rooms', null)).data).toEqual([{ room: 'room:garden', people: 2 }]);
    await expect(user.rpc('shout', null)).rejects.toMatchObject({ code: 104 });
  });

  it('brings a user who comes back what was said meanwhile', async () => {
    const ann = await enter('ann', 'room:hall');
    const bob = await enter('bob', 'room:hall');
    bob.user.disconnect();
    await ann.chat.publish({ text: 'still there?' });
    bob.user.connect();
    expect(await bob.events.next('subscribed')).toMatchObject({ recovered: true });
    const [missed] = await bob.events.atLeast(1, 'publication');
    expect(missed?.data).toEqual({ text: 'still there?' });
  });

  it('refuses users without a name, channels that are not rooms, and writing from outside', async () => {
    for (const data of [null, {}, { name: '' }, { name: 7 }, 'ann', { name: 'no spaces please' }]) {
      const nobody = client(data);
      const refused = new Promise(resolve => nobody.on('disconnected', resolve));
      nobody.connect();
      expect(await refused).toMatchObject({ code: 400 });
    }
    const { user, chat } = await enter('ann', 'room:cellar');
    const lobby = user.newSubscription('lobby');
    const events = watch(lobby);
    lobby.subscribe();
    expect(await events.next('unsubscribed')).toMatchObject({ code: 102 });
    await expect(user.publish('room:kitchen', { text: 'psst' })).rejects.toMatchObject({ code: 103 });
    await expect(user.presence('room:kitchen')).rejects.toMatchObject({ code: 103 });
    await expect(chat.publish({ text: 'x'.repeat(3000) })).rejects.toMatchObject({ code: 413 });
  });

  it('talks with its terminal client, which comes back after a restart of the server', async () => {
    const typed = join(await mkdtemp(join(tmpdir(), 'chat-')), 'typed');
    await writeFile(typed, '');
    const eve = run('examples/chat-engine/client.ts eve terrace', `tail -f "${typed}" | `);
    try {
      await eve.printed('stdout', /in terrace: eve\n/);
      const ann = await enter('ann', 'room:terrace');
      await eve.printed('stdout', /ann came in\n/);
      await appendFile(typed, 'hello from the terminal\n');
      const [said] = await ann.events.atLeast(1, 'publication');
      expect([said?.info?.user, said?.data]).toEqual(['eve', { text: 'hello from the terminal' }]);
      await ann.chat.publish({ text: 'welcome' });
      await eve.printed('stdout', /ann: welcome\n/);
      await server.stop();
      await eve.printed('stdout', /connecting: shutdown\n/);
      await startServer();
      await ann.events.atLeast(2, 'subscribed');
      await eve.printed('stdout', /in terrace:.*in terrace: [^\n]*eve/s);
    } finally {
      await eve.stop();
      await rm(dirname(typed), { recursive: true });
    }
  });
});
