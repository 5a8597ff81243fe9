import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryOf } from '../../../scripts/pack.ts';
import { addressOf } from '../../../scripts/published.ts';
import { Service } from './service.ts';
import { LOOKS, Visit } from './visit.ts';

const ROOT = join(import.meta.dirname, '../../..');
let service: Service;
let visit: Visit;
let client = '';

const CHANNEL = 'public:shop.parcels';
const at = encodeURIComponent(CHANNEL);

beforeAll(async () => {
  service = await Service.start();
  await service.fill(CHANNEL, '{"parcel":918274650918274651,"events":[{"at":1}]}', 'plain text', '7');
  await service.fill('public:shop.old');
  await service.rpc.call('CloseChannel', { name: 'public:shop.old' });
  const connected = await service.connect(await service.accessOf('u-9'), CHANNEL, 'public:shop.old');
  await connected.getSubscription(CHANNEL)?.ready(60_000);
  client = (await service.rpc.call('ListConnections', {})).connections[0]?.client ?? '';
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
});
afterAll(async () => {
  await visit.stop();
  await service.stop();
});

/** Each page, and a text that it has when it is whole. */
const PAGES: readonly (readonly [path: () => string, text: string])[] = [
  [() => '', 'Last actions'],
  [() => 'channels', CHANNEL],
  [() => 'channels?q=nothing-has-this', 'No channel matches'],
  [() => `channels/${at}`, 'kept from 1 to 3'],
  [() => `channels/${at}?open=1`, 'Publish again…'],
  [() => `channels/${at}?tab=presence`, 'u-9'],
  [() => `channels/${at}?tab=who`, 'May a client'],
  [() => 'channels/public%3Ashop.none', 'There is no such channel'],
  [() => 'channels/not%20a%20name', 'MSG_CHANNEL_INVALID'],
  [() => 'connections', 'u-9'],
  [() => 'connections?user=none', 'No connection matches'],
  [() => `connections/${client}`, 'Waits for 1 channel'],
  [() => 'connections/00000000-0000-4000-8000-000000000000', 'There is no such connection'],
  [() => 'users', 'u-9'],
  [() => 'users?q=none', 'No user matches'],
  [() => 'users/u-9', '1 connection'],
  [() => 'users/none', 'Not connected'],
  [() => 'audit', 'CloseChannel'],
  [() => 'audit?actor=none', 'No record matches'],
  [() => 'nothing', 'No such page'],
];

describe.each(LOOKS)('at %o', look => {
  it.each(PAGES)('page %#, with the text %s', async (path, text) => {
    expect(await visit.faultsOf(path(), text, look)).toEqual([]);
  });
});

it('a failure says what it is, what to do, and where to read on', async () => {
  await visit.open('channels/not%20a%20name');
  const fault = visit.page.locator('.fault').first();
  await fault.getByText('compare the name with').waitFor();
  expect(await fault.locator('code').allInnerTexts()).toContain('public:app.domain[.id][.topic]');
  const [page, code] = ['docs/troubleshooting.md', 'MSG_CHANNEL_INVALID'];
  const link = fault.getByRole('link', { name: `${page}#${code}` });
  expect(await link.getAttribute('href')).toBe(`${addressOf(repositoryOf(ROOT), page)}#${code}`);
  expect(readFileSync(join(ROOT, page), 'utf8')).toContain(`<a id="${code}"></a>`);
  expect(await visit.button('Try again').count()).toBe(1);
});

it('a dialog, the palette and the list of keys are accessible in both themes', async () => {
  for (const dark of [false, true]) {
    await visit.open(`channels/${at}`, { dark });
    for (const name of ['Publish…', 'Close…', 'Unsubscribe all…', 'Delete…']) {
      if (!(await visit.button(name).isVisible())) {
        await visit.button('More actions').click();
        expect(await visit.axeFaults()).toEqual([]);
      }
      await visit.button(name).click();
      await visit.page.locator('dialog[open]').waitFor();
      expect(await visit.axeFaults()).toEqual([]);
      await visit.page.keyboard.press('Escape');
      await visit.page.locator('dialog[open]').waitFor({ state: 'detached' });
    }
    await visit.page.keyboard.press('Control+k');
    await visit.page.getByRole('option', { name: /Connections/ }).waitFor();
    expect(await visit.axeFaults()).toEqual([]);
    await visit.page.keyboard.press('Escape');
    await visit.page.locator('#content').focus();
    await visit.page.keyboard.press('?');
    await visit.sees('Single keys are on');
    expect(await visit.axeFaults()).toEqual([]);
    await visit.page.keyboard.press('Escape');
  }
});

it('further actions are behind a button, closed by Escape and by leaving it, and fit a narrow screen', async () => {
  for (const width of [390, 1440]) {
    await visit.open(`channels/${at}`, { width });
    await visit.settles();
    const more = visit.button('More actions');
    const remove = visit.page.getByRole('button', { name: 'Delete…' });
    expect(await remove.count()).toBe(0);
    await more.click();
    await remove.waitFor();
    expect(await visit.sideways()).toBe(0);
    const box = await remove.boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    await visit.page.keyboard.press('Escape');
    await remove.waitFor({ state: 'detached' });
    expect(await visit.page.evaluate('document.activeElement.ariaLabel')).toBe('More actions');
    await visit.page.keyboard.press('Enter');
    await remove.waitFor();
    await visit.page.locator('h1').click();
    await remove.waitFor({ state: 'detached' });
  }
});

it('the navigation is a dialog on a narrow screen', async () => {
  await visit.open('channels', { width: 390 });
  await visit.button('Open navigation').click();
  const menu = visit.page.getByRole('dialog', { name: 'Navigation' });
  await menu.getByRole('link', { name: 'Users' }).waitFor();
  expect(await visit.axeFaults()).toEqual([]);
  await menu.getByRole('link', { name: 'Users' }).click();
  await visit.until('the page of users', async () => visit.page.url().endsWith('/console/users'));
  await menu.waitFor({ state: 'hidden' });
});
