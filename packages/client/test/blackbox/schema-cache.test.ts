import { eventually } from '@msg/testkit';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { MsgClient } from '#src/client.ts';
import { type Service, startService } from './service.ts';

const BROADCAST = 'public:msg.registry.schemas';

let service: Service;
let client: MsgClient;
let fetches = 0;
/** Called with an answer of `/msg/schemas` before the client has it. */
let hold: () => Promise<void>;

beforeAll(async () => {
  service = await startService();
});
afterEach(() => client.disconnect());
afterAll(() => service.stop());

/** A connected client, and a pattern of version 1. */
async function begin(pattern: string): Promise<void> {
  await service.call('RegisterSchema', { schema: { pattern } });
  fetches = 0;
  hold = async () => {};
  client = new MsgClient({
    endpoint: service.url,
    centrifugeOptions: { websocket: WebSocket },
    fetch: async (url, init) => {
      const answer = await fetch(url, init as object);
      if (url.endsWith('/msg/schemas')) {
        fetches++;
        await hold();
      }
      return answer as never;
    },
  });
  await client.connect();
}

async function versionOf(name: string): Promise<number | undefined> {
  return (await client.schemas()).patterns.find(({ pattern }) => pattern === name)?.version;
}

/** Resolves when the client has heard of the change. */
async function update(pattern: string): Promise<void> {
  const broadcast = client.raw().getSubscription(BROADCAST);
  await broadcast?.ready(60_000);
  const heard = new Promise(resolve => broadcast?.once('publication', resolve));
  await service.call('UpdateSchema', { schema: { pattern } });
  await heard;
}

test('a change that overtakes the answer is in the registry', async () => {
  await begin('shop.overtaken');
  hold = () => {
    hold = async () => {};
    return update('shop.overtaken');
  };
  expect(await versionOf('shop.overtaken')).toBe(2);
  await update('shop.overtaken');
  expect(await versionOf('shop.overtaken')).toBe(3);
  expect(fetches).toBe(2);
});

test('a change between the answer and the first subscription is in the registry', async () => {
  await begin('shop.between');
  const token = Promise.withResolvers<string>();
  client.raw().newSubscription(BROADCAST, { getToken: () => token.promise });
  expect(await versionOf('shop.between')).toBe(1);
  await service.call('UpdateSchema', { schema: { pattern: 'shop.between' } });
  token.resolve('any: the channel is public');
  await eventually('the change', async () => (await versionOf('shop.between')) === 2);
});

test('a gap that overtakes the answer is noticed', async () => {
  await begin('shop.gap');
  hold = async () => {
    hold = async () => {};
    await client.raw().getSubscription(BROADCAST)?.ready(60_000);
    client.disconnect();
    // More than the history holds.
    for (let n = 0; n < 110; n++) await service.call('UpdateSchema', { schema: { pattern: 'shop.gap' } });
    await client.connect();
    await client.raw().getSubscription(BROADCAST)?.ready(60_000);
  };
  expect(await versionOf('shop.gap')).toBe(111);
});

test('changes without end: the last answer is given, and not kept', async () => {
  await begin('shop.restless');
  hold = () => update('shop.restless');
  expect(await versionOf('shop.restless')).toBe(3);
  expect(fetches).toBe(3);
  hold = async () => {};
  expect(await versionOf('shop.restless')).toBe(4);
  expect(await versionOf('shop.restless')).toBe(4);
  expect(fetches).toBe(4);
});
