import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Service } from './service.ts';
import { Visit } from './visit.ts';

// Two nodes that share a real Redis: its record of a session is set back, so that no test waits for half an hour.
process.env['MSG_TEST_CONSOLE_NODES'] = '2';

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

/** Sets a member of every session that has not ended. */
async function setBack(member: 'used' | 'writes', at: number): Promise<void> {
  const store = service.cluster?.store;
  const keys = (await store?.command('KEYS', '*:console:session:*')) as readonly string[]; // names of keys
  expect(keys.length).toBeGreaterThan(0);
  for (const key of keys) await store?.command('HSET', key, member, at);
}

/** Changes when the sessions of a subject end at the latest. */
async function endAt(subject: string, endsAt: number): Promise<void> {
  const store = service.cluster?.store;
  const keys = (await store?.command('KEYS', '*:console:session:*')) as readonly string[]; // names of keys
  let changed = 0;
  for (const key of keys) {
    const record = JSON.parse(String(await store?.command('HGET', key, 'record')));
    if (record.subject !== subject) continue;
    await store?.command('HSET', key, 'record', JSON.stringify({ ...record, endsAt }));
    changed++;
  }
  expect(changed).toBe(1);
}

const ENDS_AT = `fetch('/console/session').then(async answer => Date.parse((await answer.json()).expires_at))`;
const WHO_AM_I = `fetch('/console/twirp/msg.MsgService/WhoAmI', {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-msg-console': '1' },
  body: '{}',
}).then(async answer => [answer.status, (await answer.json()).meta?.reason])`;

describe('a session', () => {
  it('ends when it was not used for half an hour, says why, and goes on at the same place', async () => {
    await visit.signIn(service.server.token);
    await visit.open(ADDRESS);
    await visit.sees('kept from 1 to 1');
    await setBack('used', Date.now() - 29 * MINUTE_MS);
    await visit.page.reload();
    await visit.sees('kept from 1 to 1');
    await setBack('used', Date.now() - 31 * MINUTE_MS);
    await visit.page.reload();
    await visit.sees('The session ended because it was idle.');
    expect(await visit.axeFaults()).toEqual([]);
    await visit.page.locator('#token').fill(service.server.token);
    await visit.page.keyboard.press('Enter');
    await visit.sees('kept from 1 to 1');
    expect(visit.page.url()).toContain(ADDRESS);
  });

  it('is locked again when the time of its unlocking is over: the server refuses, the page says so', async () => {
    await visit.open('channels/public%3Ashop.news');
    await setBack('writes', Date.now() - 1);
    await visit.page.reload();
    const touch = visit.button(/^Touch/);
    await visit.until('the lock', async () => (await touch.getAttribute('aria-disabled')) === 'true');
    await visit.button('Locked. Unlock for 15 min').click();
    await visit.until('the key', async () => (await touch.getAttribute('aria-disabled')) === 'false');
    // It ends while the page believes that it goes on.
    await setBack('writes', Date.now() - 1);
    await touch.click();
    await visit.sees('MSG_AUTH_DENIED');
    await visit.until('the lock', async () => (await touch.getAttribute('aria-disabled')) === 'true');
  });

  it('ends with its token at the latest, however lately it was used', async () => {
    // The shortest that there is: an hour, where a session may have eight.
    const { mgmt_token: token, expires_unix: end } = await service.rpc.call('IssueMgmt', {
      subject: 'ann@example.com',
      role: 'operator',
      ttl_seconds: 3600,
    });
    const short = await Visit.start(service.server.url);
    try {
      await short.signIn(token);
      await short.open('users');
      await short.sees('No user');
      expect(await short.page.evaluate(ENDS_AT)).toBe(end * 1000);
      await endAt('ann@example.com', Date.now() - 1);
      expect(await short.page.evaluate(WHO_AM_I)).toEqual([401, 'expired']);
      await short.page.reload();
      await short.sees('The session has ended.');
      // The other sessions go on.
      await visit.page.reload();
      await visit.sees('kept from 1 to 1');
    } finally {
      await short.stop();
    }
  });
});
