import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Service } from './service.ts';
import { LOOKS, Visit } from './visit.ts';

const MANY = 1200;
let service: Service;
let visit: Visit;

beforeAll(async () => {
  service = await Service.start();
  const names = Array.from({ length: MANY }, (_, at) => `public:shop.order.o${String(at).padStart(4, '0')}`);
  for (let at = 0; at < names.length; at += 50)
    await Promise.all(names.slice(at, at + 50).map(name => service.rpc.call('OpenPublic', { name })));
  await service.rpc.call('OpenPublic', { name: 'public:mail.inbox' });
  await service.rpc.call('CloseChannel', { name: 'public:shop.order.o0007' });
  await service.connect('', 'public:shop.order.o0042');
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
}, 120_000);
afterAll(async () => {
  await visit.stop();
  await service.stop();
});

const first = async (): Promise<string> =>
  (await visit.page.locator('tbody th a').first().textContent()) ?? '';

describe('many channels', () => {
  it('come a page at a time; a link to a page can be shared, and Back returns', async () => {
    await visit.open('channels');
    await visit.sees('49 of 1,202, 1 of the service not shown');
    await visit.button('Next page').click();
    await visit.until('the second page', async () => (await first()).endsWith('o0048'));
    const shared = visit.page.url();
    await visit.button('Next page').click();
    await visit.until('the third page', async () => (await first()).endsWith('o0098'));
    await visit.page.goBack();
    await visit.until('the second page', async () => (await first()).endsWith('o0048'));
    await visit.page.goto(shared);
    await visit.until('the shared page', async () => (await first()).endsWith('o0048'));
    expect(await visit.elements()).toBeLessThanOrEqual(1500);
  });

  it('are found by a part of the name, a pattern and a state; the command says the same', async () => {
    await visit.open('channels');
    await visit.page.getByRole('searchbox', { name: 'Part of a name' }).fill('o004');
    await visit.sees('10 of 10');
    await visit.open('channels?pattern=public:mail.**');
    await visit.sees('public:mail.inbox');
    await visit.sees('1 of 1');
    await visit.open('channels?state=closed&pattern=public:shop.**');
    await visit.sees('public:shop.order.o0007');
    expect(await visit.page.locator('.pagehead .cmd code').textContent()).toBe(
      "msg channels list --pattern 'public:shop.**' --state closed",
    );
  });

  it('come 50, 100 or 200 on a page, as the address says', async () => {
    await visit.open('channels?pattern=public:shop.**');
    await visit.sees('50 of 1,200');
    for (const size of [100, 200]) {
      await visit.page.getByRole('combobox', { name: 'Rows per page' }).selectOption(String(size));
      await visit.sees(`${size} of 1,200`);
      expect(visit.page.url()).toContain(`size=${size}`);
      expect(await visit.page.locator('table').getAttribute('aria-rowcount')).toBe(String(size + 1));
      expect(await visit.elements()).toBeLessThanOrEqual(1500);
      const last = `o${String(size - 1).padStart(4, '0')}`;
      for (const [place, name] of [
        ['0, document.documentElement.scrollHeight', last],
        ['0, 0', 'o0000'],
      ]) {
        const link = visit.page.locator('tbody th a', { hasText: name ?? '' });
        await visit.until(`${name} where it stands`, async () => {
          await visit.page.evaluate(`scrollTo(${place})`);
          return (await link.count()) === 1 && (await link.isVisible());
        });
        const box = await link.boundingBox();
        expect(box?.y).toBeGreaterThan(0);
        expect(box?.y).toBeLessThan(900);
        expect(await visit.elements()).toBeLessThanOrEqual(1500);
      }
    }
    expect(await visit.axeFaults()).toEqual([]);
    await visit.button('Next page').click();
    await visit.until('the second page', async () => {
      await visit.page.evaluate('scrollTo(0, 0)');
      return (await first()).endsWith('o0200');
    });
    await visit.open('channels?size=1000000');
    await visit.sees('49 of 1,202');
  });

  it('have a chip for each filter, which removes it', async () => {
    await visit.open('channels?q=o000&state=closed');
    await visit.sees('1 of 1');
    await visit.sees('name contains o000');
    await visit.button('Remove the filter State').click();
    await visit.sees('10 of 10');
    expect(visit.page.url()).not.toContain('state');
    await visit.page.getByRole('combobox', { name: 'State' }).selectOption('open');
    await visit.sees('9 of 9');
    expect(await visit.axeFaults()).toEqual([]);
    await visit.button('Clear filters').click();
    await visit.sees('49 of 1,202');
    expect(await visit.page.locator('.chip').count()).toBe(0);
  });

  it('are sorted by name, time and subscribers', async () => {
    await visit.open('channels');
    await visit.page.getByRole('button', { name: 'Channel', exact: true }).click();
    await visit.until('the last name', async () => (await first()).endsWith(`o${MANY - 1}`));
    await visit.open('channels?sort=subscribers&order=down');
    await visit.sees('the busiest 1,000');
    expect(await first()).toBe('public:shop.order.o0042');
  });

  it('by keyboard alone: are searched, filtered, sorted and paged; one is opened, and Back returns', async () => {
    const { keyboard } = visit.page;
    await visit.open('channels');
    await visit.sees('49 of 1,202');
    await visit.tabTo('Part of a name');
    await keyboard.type('order.o0');
    await visit.sees('50 of 1,000');
    await visit.tabTo('State');
    await keyboard.type('open');
    await visit.sees('50 of 999');
    await visit.tabTo('Channel');
    await keyboard.press('Enter');
    await visit.until('the last name', async () => (await first()).endsWith('o0999'));
    await visit.tabTo('Next page');
    await keyboard.press('Enter');
    await visit.until('the second page', async () => (await first()).endsWith('o0949'));
    await visit.tabTo('public:shop.order.o0949');
    await keyboard.press('Enter');
    await visit.page.getByRole('heading', { name: 'public:shop.order.o0949' }).waitFor();
    await visit.page.goBack();
    await visit.until('the second page', async () => (await first()).endsWith('o0949'));
  });

  it('are in the palette by a part of the name', async () => {
    await visit.page.keyboard.press('Control+k');
    await visit.page.keyboard.type('o0042');
    await visit.page.getByRole('option', { name: /o0042/ }).waitFor();
    await visit.page.keyboard.press('Escape');
  });

  it('stand on accessible pages in every look', async () => {
    for (const look of LOOKS) {
      expect(await visit.faultsOf('channels?counts=on', '49 of 1,202', look)).toEqual([]);
      expect(await visit.faultsOf('channels?pattern=public:none.**', 'No channel matches', look)).toEqual([]);
      expect(await visit.faultsOf('', 'Delivered/s', look)).toEqual([]);
    }
  });
});

it('a private channel is created, and its tokens are shown once', async () => {
  await visit.open('channels');
  await visit.button('Create private…').click();
  await visit.page.locator('#private-name').fill('private:shop.order.77');
  await visit.page.locator('#private-subject').fill('u-9');
  expect(await visit.axeFaults()).toEqual([]);
  await visit.button('Create channel').click();
  await visit.sees('They are shown once');
  const [token = ''] = await visit.page.locator('.secret').allTextContents();
  await visit.button('I have copied it').click();
  await visit.until('its page', async () => visit.page.url().endsWith('private%3Ashop.order.77'));
  expect(await visit.page.evaluate('document.documentElement.outerHTML')).not.toContain(token);
  const access = await service.rpc.call('ExplainAccess', {
    name: 'private:shop.order.77',
    verb: 'subscribe',
    token,
  });
  expect(access.allowed).toBe(true);
});

it('the overview has every node and says that all is well, or what is not', async () => {
  await visit.open('');
  const { length: count } = service.nodes;
  await visit.sees(count === 1 ? '1 node' : `${count} nodes`);
  await visit.page.locator('#nodes').waitFor();
  const { nodes } = await service.rpc.call('ListNodes', {});
  await visit.sees(nodes[0]?.id ?? '');
  // The channel of the page's own feed is not counted.
  await visit.page.locator('.tile', { hasText: 'Open channels' }).getByText('1,202').waitFor();
  await visit.page.locator('.tile', { hasText: 'Subscriptions' }).waitFor();
});
