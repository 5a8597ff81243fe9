import type { Page } from 'playwright-core';

/** Signs a page in to the console of a server. Resolves when the overview is there. */
export async function signIn(page: Page, url: string, token: string): Promise<void> {
  await page.goto(`${url}/console/`);
  await page.locator('#token').fill(token);
  await page.keyboard.press('Enter');
  await page.locator('#content h1').first().waitFor();
}
