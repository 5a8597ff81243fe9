import type { Page } from 'playwright-core';

/** Deadline of one step, milliseconds: not a bound. */
const PATIENT_MS = 60_000;

/** What is done to the list of very many channels `public:bench.scale.c<n>`: searched, filtered, sorted, paged, shared. */
export async function walkChannels(page: Page, console: string, channels: number): Promise<void> {
  page.setDefaultTimeout(PATIENT_MS);
  const first = page.locator('#content tbody th a').first();
  const firstIs = async (name: string): Promise<void> => {
    await first.filter({ hasText: new RegExp(`^${name.replaceAll('.', '\\.')}$`) }).waitFor();
  };
  const last = channels - 1;

  await page.goto(`${console}/channels`);
  await page.getByRole('searchbox', { name: 'Part of a name' }).fill(`scale.c${last}`);
  await firstIs(`public:bench.scale.c${last}`);
  await page.getByText('1 of 1', { exact: true }).waitFor();

  await page.goto(`${console}/channels?pattern=public:bench.scale.*`);
  await page.getByText(`50 of ${channels.toLocaleString('en-US')}`).waitFor();
  await firstIs('public:bench.scale.c0');
  await page.getByRole('combobox', { name: 'State' }).selectOption('closed');
  await page.getByText('No channel matches').waitFor();
  await page.getByRole('combobox', { name: 'State' }).selectOption('open');
  await firstIs('public:bench.scale.c0');

  await page.getByRole('button', { name: 'Channel', exact: true }).click();
  const names = Array.from({ length: channels }, (_, index) => `public:bench.scale.c${index}`);
  await firstIs(names.reduce((most, name) => (name > most ? name : most)));
  const top = await first.textContent();
  await page.getByRole('button', { name: 'Next page' }).click();
  await first.filter({ hasNotText: top ?? '' }).waitFor();
  const second = (await first.textContent()) ?? '';
  const shared = page.url();
  await page.getByRole('button', { name: 'Next page' }).click();
  await first.filter({ hasNotText: second }).waitFor();
  await page.goBack();
  await firstIs(second);

  const tab = await page.context().newPage();
  await tab.goto(shared);
  await tab
    .locator('#content tbody th a')
    .first()
    .filter({ hasText: second })
    .waitFor({ timeout: PATIENT_MS });
  await tab.close();
}
