import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Service } from './service.ts';
import { Visit } from './visit.ts';

// Two nodes that share a real Redis: its record of a session is set back, so that no test waits for half an hour.
process.env['MSG_TEST_CONSOLE_NODES'] = '2';
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const MINUTE_MS = 60_000;
const CHANNEL = 'public:shop.news';
const ADDRESS = 'channels/public%3Ashop.news?tab=history';

let service: Service;
let visit: Visit;

beforeAll(async () => {
  service = await Service.start();
  await service.fill(CHANNEL, '{"n":1}');
  visit = await Visit.start(service.server.url);
});
afterAll(async () => {
  await visit.stop();
  await service.stop();
});

/** Sets when every session was used last. */
async function setBack(at: number): Promise<void> {
  const store = service.cluster?.store;
  const keys = (await store?.command('KEYS', '*:console:session:*')) as readonly string[]; // names of keys
  expect(keys.length).toBeGreaterThan(0);
  for (const key of keys) await store?.command('HSET', key, 'used', at);
}

describe('a session', () => {
  it('ends when it was not used for half an hour, says why, and goes on at the same place', async () => {
    await visit.signIn(service.server.token);
    await visit.open(ADDRESS);
    await visit.sees('kept from 1 to 1');
    await setBack(Date.now() - 29 * MINUTE_MS);
    await visit.page.reload();
    await visit.sees('kept from 1 to 1');
    await setBack(Date.now() - 31 * MINUTE_MS);
    await visit.page.reload();
    await visit.sees('The session ended because it was idle.');
    expect(await visit.axeFaults()).toEqual([]);
    await visit.page.locator('#token').fill(service.server.token);
    await visit.page.keyboard.press('Enter');
    await visit.sees('kept from 1 to 1');
    expect(visit.page.url()).toContain(ADDRESS);
  });
});
