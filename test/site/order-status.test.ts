import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browser } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleDigest, OrderStatus, PICTURES } from '../support/order-status.ts';

describe('the order-status app', () => {
  let browser: Browser;
  let app: OrderStatus;

  beforeAll(async () => {
    browser = await Browser.start();
    app = await OrderStatus.start(browser);
  });
  afterAll(async () => {
    await browser.stop();
    await app.stop();
  });

  it('shows what the shop did while the customer was away, in order', { timeout: 90_000 }, async () => {
    await app.throughTheTunnel();
    expect(await app.customer.getByRole('status').textContent()).toBe(
      'Back online. 2 updates recovered, in order.',
    );
    expect(
      await app.customer.locator('li.done').evaluateAll(rows => rows.map(row => row.firstChild?.nodeValue)),
    ).toEqual(['Paid', 'Packed', 'Label printed', 'Handed to carrier']);
  });

  it('is what the pictures of the home page show; `npm run docs:pictures` takes new ones', () => {
    expect(readFileSync(join(PICTURES, 'source.txt'), 'utf8').trim()).toBe(exampleDigest());
  });
});
