import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Service } from './service.ts';
import { LOOKS, Visit } from './visit.ts';

const CHANNEL = 'public:shop.news';
const ADDRESS = `channels/${encodeURIComponent(CHANNEL)}`;

let service: Service;
let visit: Visit;

beforeAll(async () => {
  service = await Service.configured(`
channels:
  rules:
    - { pattern: "public:**", presence: true, history_size: 20 }
    - { pattern: "public:shop.*", history_ttl: 90s, recovery: stream }
    - { pattern: "public:mail.**", history_size: 0 }
`);
  await service.fill(CHANNEL, '{"n":1}');
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
}, 120_000);
afterAll(async () => {
  await visit.stop();
  await service.stop();
});

const textOf = (label: string) => visit.page.locator(`.facts dt:text-is("${label}") + dd`).innerText();

describe('the page of a channel', () => {
  it('marks the tab of its address; an address without one, or with an unknown one, is of the history', async () => {
    for (const [search, label] of [
      ['', 'History'],
      ['?tab=history', 'History'],
      ['?tab=nonsense', 'History'],
      ['?tab=live', 'Live'],
      ['?tab=presence', 'Presence'],
      ['?tab=who', 'Who may'],
    ] as const) {
      await visit.open(ADDRESS + search);
      await visit.settles();
      const marked = visit.page.locator('.tabs [aria-current=page]');
      await visit.until(`a marked tab at ${search}`, async () => (await marked.count()) === 1);
      expect((await marked.textContent()) ?? '').toMatch(new RegExp(`^${label}`));
    }
  });

  it('shows each option that is in effect, with the pattern that set it', async () => {
    await visit.open(ADDRESS);
    await visit.page.getByText('Options: 4 set by patterns').click();
    const rows = visit.page.locator('details table tbody tr');
    await visit.until('the options', async () => (await rows.count()) > 0);
    const told = (await rows.allInnerTexts()).map(text => text.split(/\s+/).filter(part => part !== ''));
    expect(told).toContainEqual(['presence', 'true', 'public:**']);
    expect(told).toContainEqual(['history_size', '20', 'public:**']);
    expect(told).toContainEqual(['history_ttl', '1m30s', 'public:shop.*']);
    expect(told).toContainEqual(['volatile', 'false', 'default']);
  });

  it('tells what is kept, why it can be recovered, and how much is published', async () => {
    await visit.open(ADDRESS);
    await visit.until('the fill', async () => (await textOf('History')) === '1 of 20, 1 min 30 s');
    expect(await textOf('Recovery')).toBe('on, from public:shop.*');
    expect(await visit.page.locator('.tabs a', { hasText: 'History' }).locator('.count').innerText()).toBe(
      '1',
    );
    expect(await textOf('Published')).toMatch(/^(?:–|0\/s)$/);
    await visit.until('a rate', async () => {
      await service.rpc.call('Publish', { name: CHANNEL, json: { n: 2 } });
      return /^(?!0\/s)[\d.]+\/s$/.test(await textOf('Published'));
    });
    await visit.until('all that is kept', async () => {
      await service.rpc.call('Publish', { name: CHANNEL, json: { n: 3 } });
      return (await textOf('History')) === '20 of 20, 1 min 30 s';
    });
    expect(
      await visit.page.locator('summary').evaluate(element => element.getBoundingClientRect().height),
    ).toBeLessThan(45);
  });

  it('tells of a channel without history that it keeps nothing', async () => {
    await service.fill('public:mail.news');
    await visit.open(`channels/${encodeURIComponent('public:mail.news')}`);
    await visit.until('the fill', async () => (await textOf('History')) === 'off');
    expect(await textOf('Recovery')).toBe('off, from public:mail.**');
    expect(await textOf('Published')).toBe('–');
    expect(await visit.page.locator('.tabs .count').count()).toBe(1);
  });

  it.each(LOOKS)('is accessible with its options open: %o', async look => {
    expect(await visit.faultsOf(ADDRESS, 'Options: 4 set by patterns', look)).toEqual([]);
    await visit.page.getByText('Options: 4 set by patterns').click();
    await visit.page.locator('details table').waitFor();
    expect(await visit.axeFaults()).toEqual([]);
    expect(await visit.sideways()).toBeLessThanOrEqual(0);
  });
});
