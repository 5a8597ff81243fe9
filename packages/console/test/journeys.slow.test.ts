import { MSG_BIN, ShellProcess } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Service } from './service.ts';
import { isAnswer, Visit } from './visit.ts';

let service: Service;
let visit: Visit;

beforeAll(async () => {
  service = await Service.start();
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
});
afterAll(async () => {
  await visit.stop();
  await service.stop();
});

describe('a channel', () => {
  const name = 'public:shop.parcels';

  it('is opened, published into, read, closed, opened again and deleted by keyboard alone', async () => {
    await visit.open('channels');
    await visit.sees('No channel yet');
    await visit.tabTo('Open channel…');
    await visit.page.keyboard.press('Enter');
    await visit.page.locator('#open-name').waitFor();
    await visit.tabTo('Name');
    await visit.page.keyboard.press('End');
    await visit.page.keyboard.type('shop.parcels');
    await visit.page.keyboard.press('Enter');
    await visit.until('its page', async () => visit.page.url().endsWith(encodeURIComponent(name)));
    const subscriber = await service.connect('', name);
    const subscription = subscriber.getSubscription(name);
    const received: unknown[] = [];
    const ends: number[] = [];
    subscription?.on('publication', ({ data }) => received.push(data));
    subscription?.on('unsubscribed', ({ code }) => ends.push(code));
    await subscription?.ready(60_000);

    await visit.tabTo('Publish…');
    await visit.page.keyboard.press('Enter');
    await visit.tabTo('Payload');
    await visit.page.keyboard.press('Control+a');
    await visit.page.keyboard.type('{"parcel": 918274650918274651');
    expect(await visit.page.getByRole('button', { name: 'Publish', exact: true }).isDisabled()).toBe(true);
    await visit.page.keyboard.type('}');
    await visit.tabTo('Tags');
    await visit.page.keyboard.type('carrier=dhl');
    await visit.tabTo('Idempotency key');
    await visit.page.keyboard.type('order-7');
    await visit.tabTo('Publish');
    await visit.page.keyboard.press('Enter');
    await visit.sees('Published, offset 1.');
    await visit.until('the publication', async () => received.length === 1);
    await visit.tabTo('Publish…');
    await visit.page.keyboard.press('Enter');
    await visit.page.locator('#publish-key').fill('order-7');
    await visit.tabTo('Publish');
    await visit.page.keyboard.press('Enter');
    await visit.sees('Published nothing: the idempotency key was used before.');
    await visit.sees('kept from 1 to 1');
    await visit.tabTo('1');
    await visit.page.keyboard.press('Enter');
    await visit.sees('918274650918274651');
    await visit.sees('carrier=dhl');

    await visit.tabTo('Close…');
    await visit.page.keyboard.press('Enter');
    await visit.tabTo('Close channel');
    await visit.page.keyboard.press('Enter');
    await visit.sees('Closed: new subscribers');
    await visit.tabTo('Open again…');
    await visit.page.keyboard.press('Enter');
    await visit.tabTo('Open channel');
    await visit.page.keyboard.press('Enter');
    await visit.sees('without activity');
    await visit.tabTo('More actions');
    await visit.page.keyboard.press('Enter');
    await visit.tabTo('Delete…');
    await visit.page.keyboard.press('Enter');
    await visit.page.locator('#confirm-typed').waitFor();
    await visit.tabTo(`Type ${name} to confirm`);
    await visit.page.keyboard.type('public:shop.parcel');
    expect(await visit.page.getByRole('button', { name: 'Delete channel' }).isDisabled()).toBe(true);
    await visit.page.keyboard.type('s');
    await visit.tabTo('Delete channel');
    await visit.page.keyboard.press('Enter');
    await visit.sees('Deleted the channel.');
    await visit.until('the subscriber', async () => ends.includes(2000));
  });

  it('says who may, by no token and by a live connection', async () => {
    await service.rpc.call('CreatePrivate', { name: 'private:shop.order.77' });
    const client = await service.connect(await service.accessOf('u-9', 'private:shop.order.*'));
    await visit.open('channels/private%3Ashop.order.77?tab=who');
    await visit.button('Explain').click();
    await visit.sees('It may not subscribe');
    const steps = visit.page.locator('.decision > li');
    const marked = visit.page.locator('.decision > li.strong');
    expect(await marked.allTextContents()).toEqual(['A grant of a token gives the rightdecided: refused']);
    expect((await steps.allTextContents()).slice(-2)).toEqual([
      'Neither a token nor its user is revokednot reached',
      'The channel is opennot reached',
    ]);
    // The verb of the next question does not change the answer to the last one.
    await visit.page.locator('#who-verb').selectOption('publish');
    await visit.sees('It may not subscribe');
    await visit.page.locator('#who-verb').selectOption('subscribe');
    const { connections } = await service.rpc.call('ListConnections', { user: 'u-9' });
    await visit.page.locator('#who-token').fill(connections[0]?.client ?? '');
    await visit.button('Explain').click();
    await visit.sees('It may subscribe');
    expect(await marked.allTextContents()).toEqual(['A grant of a token gives the rightdecided: allowed']);
    expect(await steps.last().textContent()).toBe('The channel is openpassed');
    client.disconnect();
  });
});

describe('a user', () => {
  it('is found, disconnected with the code, and revoked', async () => {
    const client = await service.connect(await service.accessOf('u-7'));
    const codes: number[] = [];
    client.on('disconnected', ({ code }) => codes.push(code));
    await visit.open('users');
    await visit.page.getByRole('link', { name: 'u-7' }).click();
    await visit.button('Disconnect everywhere…').click();
    await visit.page.locator('#confirm-typed').fill('u-7');
    await visit.button('Disconnect user').click();
    await visit.sees('Disconnected 1 connection.');
    await visit.until('the code', async () => codes.includes(3503));
    await visit.button('Revoke…').click();
    await visit.page.locator('#confirm-typed').fill('u-7');
    await visit.page.locator('#revoke-reason').fill('left');
    await visit.button('Revoke user').click();
    await visit.sees('Revoked the user.');
    const { records } = await service.rpc.call('AuditList', { method: 'RevokeUser' });
    expect(records).toMatchObject([
      { target: 'user:u-7', via: 'console', outcome: 'ok', detail: 'reason=left' },
    ]);
  });
});

describe('a session', () => {
  it('that is locked changes nothing, and says so on the buttons', async () => {
    await service.fill('public:shop.news');
    await visit.open('channels/public%3Ashop.news');
    await visit.button('Unlocked. Lock').click();
    const touch = visit.button(/^Touch/);
    await visit.until('the lock', async () => (await touch.getAttribute('aria-disabled')) === 'true');
    expect(await touch.getAttribute('title')).toBe('Locked: unlock to change something');
    await visit.button('Locked. Unlock for 15 min').click();
    await visit.until('the key', async () => (await touch.getAttribute('aria-disabled')) === 'false');
    await touch.click();
    await visit.sees('Touched the channel');
  });

  it('of a viewer is offered nothing and gets no payload', async () => {
    await service.fill('public:shop.secret', '{"card":"4111-secret"}');
    const viewer = await Visit.start(service.server.url);
    try {
      await viewer.signIn(await service.tokenOf('viewer'));
      await viewer.open('channels/public%3Ashop.secret?open=1');
      await viewer.sees('Viewers do not see payloads.');
      await viewer.sees('Your role is viewer');
      await viewer.button('More actions').click();
      for (const name of [/^Publish…/, /^Touch/, /^Close…/, /^Delete…/])
        expect(await viewer.button(name).getAttribute('aria-disabled')).toBe('true');
      await viewer.open('audit');
      await viewer.sees('Needs the role operator');
      expect(viewer.traffic.filter(text => text.includes('4111-secret'))).toEqual([]);
      expect(viewer.traffic.filter(text => text.includes('/AuditList'))).toEqual([]);
    } finally {
      await viewer.stop();
    }
  });

  it('ends with the revocation of its user, says why, and keeps what was typed', async () => {
    await service.fill('public:shop.leaver');
    const leaver = await Visit.start(service.server.url);
    try {
      await leaver.signIn(await service.tokenOf('operator'));
      await leaver.open('channels/public%3Ashop.leaver');
      await leaver.button('Publish…').click();
      await leaver.page.locator('#publish-data').fill('{"typed":true}');
      await service.rpc.call('RevokeUser', { user_id: 'operator@example.com' });
      await leaver.page.locator('.entrance').getByText('its token or its user was revoked').waitFor();
      expect(await leaver.page.locator('#publish-data').inputValue()).toBe('{"typed":true}');
    } finally {
      await leaver.stop();
    }
  });
});

describe('msg console', () => {
  it('is the same console in front of a server whose own is off', async () => {
    const off = await Service.start({ args: ['--console', 'off'] });
    const { url, token } = off.server;
    const program = new ShellProcess(`exec ${process.execPath} ${MSG_BIN} console`, {
      cwd: process.cwd(),
      env: { MSG_SERVER: url, MSG_TOKEN: token },
    });
    const [link] = await program.printed('stdout', /^http:.*#code=.*$/m);
    const local = await Visit.start(new URL(link).origin);
    try {
      expect((await fetch(`${url}/console/`)).status).toBe(404);
      await local.page.goto(link);
      await local.sees(off.everyNodeAnswers);
      expect(local.page.url()).not.toContain('code');
      await local.open('channels');
      await local.button('Open channel…').click();
      await local.page.locator('#open-name').fill('public:shop.through');
      await local.page.keyboard.press('Enter');
      await local.until('its page', async () => local.page.url().includes('shop.through'));
      const { channels } = await off.rpc.call('ListChannels', { query: 'shop.through' });
      expect(channels).toMatchObject([{ name: 'public:shop.through', state: 'open' }]);
      expect(local.traffic.join()).not.toContain(token.slice(-40));
      await local.button('Sign out').click();
      await local.sees('This page needs a link');
      expect(await local.axeFaults()).toEqual([]);
      await local.page.goto(link);
      await local.sees('A link works once');
      expect(local.complaints.filter(complaint => !complaint.includes('status of 401'))).toEqual([]);
    } finally {
      await local.stop();
      await program.stop();
      await off.stop();
    }
  });
});

it('nothing went to another origin, and the browser had nothing to complain about', () => {
  expect(visit.complaints.filter(complaint => !isAnswer(complaint))).toEqual([]);
});
