import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operationsOf } from './operations.ts';
import { Service } from './service.ts';
import { LOOKS, Visit } from './visit.ts';

/** What a page does when things are not as it expects: other tabs, other clocks, long names, much to show. */
const NAME = 'public:shop.news';
const at = encodeURIComponent(NAME);
/** Names of members, as many as fit. */
const KEYS = Array.from({ length: 100_000 }, (_, n) => n.toString(36));
/**
 * Blocks of code that a step of the page runs at most: so few take less than 200 ms (console 9), which `npm run bench --
 * console` measures.
 */
const MOST_OPERATIONS = 2_000_000;

let service: Service;
let visit: Visit;

beforeAll(async () => {
  service = await Service.start();
  await service.fill(NAME, '{"n":1}');
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
});
afterAll(async () => {
  await visit.stop();
  await service.stop();
});

describe('a tab', () => {
  it('whose browser signs in as another person says who it is before anything is sent', async () => {
    await visit.open(`channels/${at}`);
    await visit.sees('kept from 1 to 1');
    const tab = await visit.openBeside('');
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await tab.locator('#token').fill(await service.tokenOf('viewer'));
    await tab.keyboard.press('Enter');
    await tab.locator('#content h1').first().waitFor();
    await visit.sees('This browser is now signed in as viewer@example.com.');
    // What the other person may not do is not offered, and nothing was sent meanwhile.
    const touch = visit.button(/^Touch/);
    await visit.until('the role', async () => (await touch.getAttribute('aria-disabled')) === 'true');
    const { records } = await service.rpc.call('AuditList', { method: 'TouchChannel' });
    expect(records).toEqual([]);
    await tab.close();
    await visit.button('Sign out').click();
    await visit.signIn(service.server.token);
  });

  it('that nobody sees for half a minute asks no more, closes its tail, and goes on when it is seen', async () => {
    await visit.page.clock.install();
    await visit.open(`channels/${at}?tab=live`);
    await visit.tails();
    await visit.until('the tail', async () => (await service.metric('msg_console_tails')) === 1);
    const show = (isHidden: boolean) =>
      visit.page.evaluate(`(() => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
        document.dispatchEvent(new Event('visibilitychange'));
      })()`);
    await show(true);
    await visit.page.clock.runFor(31_000);
    await visit.until('the end of the tail', async () => (await service.metric('msg_console_tails')) === 0);
    const asked = visit.traffic.length;
    await visit.page.clock.runFor(60_000);
    expect(visit.traffic.slice(asked).filter(text => text.includes('/twirp/'))).toEqual([]);
    await show(false);
    await visit.page.clock.runFor(1000);
    await visit.until('the tail again', async () => (await service.metric('msg_console_tails')) === 1);
    await visit.page.clock.resume();
  });

  it('of a browser whose clock is wrong counts by the clock of the server', async () => {
    for (const year of ['2001', '2041']) {
      await visit.page.clock.install({ time: new Date(`${year}-01-01T00:00:00Z`) });
      await visit.page.clock.resume();
      await visit.open(`channels/${at}`);
      await visit.page
        .getByText(/closes in 2\d min/)
        .first()
        .waitFor();
    }
  });
});

describe('a page', () => {
  it('shows a name of 255 bytes, and a user of 255 with control characters, as one wrapped text', async () => {
    const long = `public:shop.${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}`;
    const user = `u-${'\u202e\u0007x'.repeat(50)}`;
    await service.rpc.call('OpenPublic', { name: long }).catch(() => {});
    await service.connect(await service.accessOf(user, 'public:shop.**'), NAME);
    for (const look of LOOKS) {
      expect(await visit.faultsOf('connections', '⟨U+202E⟩', look)).toEqual([]);
      expect(await visit.faultsOf('users', '⟨U+202E⟩', look)).toEqual([]);
      expect(await visit.faultsOf(`users/${encodeURIComponent(user)}`, '1 connection', look)).toEqual([]);
      expect(await visit.faultsOf(`channels/${encodeURIComponent(long)}`, 'aaaaaaaa', look)).toEqual([]);
    }
  });

  it('whose channel is deleted meanwhile says so in its place', async () => {
    const name = 'public:shop.gone';
    await service.fill(name, '{"n":1}');
    await visit.open(`channels/${encodeURIComponent(name)}?tab=live`);
    await visit.tails();
    await visit.until('the tail', async () => (await service.metric('msg_console_tails')) === 1);
    await service.rpc.call('DeleteChannel', { name });
    // The tail says so first, or the next look at the channel.
    await visit.page
      .getByText(/The tail has ended|There is no such channel/)
      .first()
      .waitFor();
    expect(await visit.page.locator('.fault').count()).toBe(0);
    await visit.page.reload();
    await visit.sees('There is no such channel');
    expect(await visit.axeFaults()).toEqual([]);
  });

  it.each([
    ['1 MiB in one line', `"${'x'.repeat(1_000_000)}"`],
    ['100,000 members', `{${KEYS.map(key => `"${key}":1`).join(',')}}`],
    ['64 levels', '['.repeat(64) + ']'.repeat(64)],
  ])('opens a payload of %s whole, in every view, and stays small', async (_, text) => {
    const name = 'public:shop.large';
    await service.rpc.call('OpenPublic', { name });
    const bytes = new TextEncoder().encode(text);
    const { offset } = await service.rpc.call('Publish', { name, data: bytes });
    await visit.open(`channels/${encodeURIComponent(name)}`);
    await visit.settles();
    const counts: number[] = [];
    const step = async (act: () => Promise<void>): Promise<void> => {
      const most = async (): Promise<void> => {
        await act();
        await visit.settles();
      };
      counts.push(await operationsOf(visit.page, visit.url, most));
      expect(await visit.elements()).toBeLessThanOrEqual(1500);
    };
    await step(async () => {
      await visit.page
        .getByRole('button', { name: String(offset), exact: true })
        .first()
        .click();
      await visit.page.locator('.payload').first().waitFor();
    });
    const more = visit.page.getByRole('button', { name: /^Load all/ });
    if (text.length > 16_384)
      await step(async () => {
        await more.first().click();
        await more.waitFor({ state: 'detached' });
      });
    for (const view of ['Text', 'Hex', 'Tree'])
      await step(() => visit.page.locator('.segmented').getByText(view, { exact: true }).click());
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(Math.max(...counts)).toBeLessThanOrEqual(MOST_OPERATIONS);
  });
});
