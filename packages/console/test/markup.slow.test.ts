import { Centrifuge } from 'centrifuge';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HOSTILE, harm, NO_HARM } from './hostile-texts.ts';
import { Service } from './service.ts';
import { Visit } from './visit.ts';

const CHANNEL = 'public:shop.hostile';
const PER_PAGE = 50;

let service: Service;
let visit: Visit;
const clients: Centrifuge[] = [];
const payloads = HOSTILE.map(text => JSON.stringify({ [text]: [text, { text }] }));

beforeAll(async () => {
  service = await Service.start();
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
  await service.rpc.call('OpenPublic', { name: CHANNEL });
  for (const [at, text] of HOSTILE.entries())
    await service.rpc.call('Publish', {
      name: CHANNEL,
      data: new TextEncoder().encode(at % 2 === 0 ? (payloads[at] ?? '') : text),
      tags: new Map([['tag', text]]),
    });
}, 180_000);
afterAll(async () => {
  for (const client of clients) client.disconnect();
  await visit.stop();
  await service.stop();
});

it('there are two hundred of them', () => expect(new Set(HOSTILE).size).toBe(200));

it('payloads and tags of a channel are text, in the list and opened', async () => {
  await visit.open(`channels/${encodeURIComponent(CHANNEL)}`);
  await visit.sees('kept from');
  await visit.settles();
  expect(await harm(visit)).toEqual(NO_HARM);
  const { offset } = await service.rpc.call('Position', { name: CHANNEL });
  for (let at = Number(offset); at > Number(offset) - 10; at--) {
    await visit.open(`channels/${encodeURIComponent(CHANNEL)}?open=${at}`);
    await visit.settles();
    expect([at, await harm(visit)]).toEqual([at, NO_HARM]);
  }
}, 180_000);

it('users and names of clients are text, wherever they stand', async () => {
  for (let from = 0; from < HOSTILE.length; from += PER_PAGE) {
    const texts = HOSTILE.slice(from, from + PER_PAGE);
    for (const text of texts) {
      const token = await service.accessOf(text);
      const client = new Centrifuge(service.server.websocketUrl, {
        token,
        name: text,
        version: text,
        websocket: WebSocket,
      });
      clients.push(client);
      client.connect();
      await client.ready(60_000);
    }
    for (const path of ['connections', 'users', '']) {
      await visit.open(path);
      await visit.settles();
      expect([path, await harm(visit)]).toEqual([path, NO_HARM]);
    }
    const { connections } = await service.rpc.call('ListConnections', { limit: PER_PAGE });
    expect(connections).toHaveLength(PER_PAGE);
    for (const { client, user } of connections.slice(0, 2))
      for (const path of [`connections/${client}`, `users/${encodeURIComponent(user)}`]) {
        await visit.open(path);
        await visit.settles();
        expect([path, await harm(visit)]).toEqual([path, NO_HARM]);
      }
    for (const client of clients.splice(0)) client.disconnect();
    await visit.until(
      'their end',
      async () => (await service.rpc.call('ListConnections', {})).connections.length === 0,
    );
  }
}, 300_000);
