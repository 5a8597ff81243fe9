import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, ShellProcess } from '@msg/testkit';
import type { Page, WebSocketRoute } from 'playwright-core';
import { blocksOf, ROOT, readPage } from './pages.ts';

/** Where the pictures of the home page are kept, with the digest of what they show. */
export const PICTURES = join(ROOT, 'docs/public/pictures');

/** SHA-256, in hex, over the files of the example: pictures of another version are out of date. */
export function exampleDigest(): string {
  const hash = createHash('sha256');
  for (const path of globSync('examples/order-status/*.{mjs,html,css}', { cwd: ROOT }).toSorted())
    hash.update(path).update(readFileSync(join(ROOT, path)));
  return hash.digest('hex');
}

/** A page whose WebSocket can be cut, as a tunnel does it. */
class CuttablePage {
  readonly page: Page;
  #isCut = false;
  readonly #sockets = new Set<WebSocketRoute>();

  constructor(page: Page) {
    this.page = page;
  }

  async prepare(): Promise<void> {
    await this.page.routeWebSocket(/.*/, socket => {
      if (this.#isCut) return void socket.close();
      this.#sockets.add(socket);
      socket.connectToServer();
    });
  }

  async cut(): Promise<void> {
    this.#isCut = true;
    await Promise.all([...this.#sockets].map(socket => socket.close()));
    this.#sockets.clear();
  }

  heal(): void {
    this.#isCut = false;
  }
}

/** The example running, with the page of the shop and that of a customer. */
export class OrderStatus {
  readonly shop: Page;
  readonly customer: Page;
  readonly #cuttable: CuttablePage;
  readonly #server: ShellProcess;

  private constructor(server: ShellProcess, shop: Page, cuttable: CuttablePage) {
    this.#server = server;
    this.shop = shop;
    this.customer = cuttable.page;
    this.#cuttable = cuttable;
  }

  static async start(browser: Browser): Promise<OrderStatus> {
    const [start] = blocksOf(readPage('examples/order-status/README.md'));
    // npx would be a process between the two.
    const command = start?.text.trim().replace('npx node', `exec "${process.execPath}"`) ?? '';
    const server = new ShellProcess(command, { cwd: ROOT, env: { PORT: '0' } });
    const [, address = ''] = await server.printed('stdout', /order status on (http:\S+)\n/);
    const [shop, page] = [await browser.page(), await browser.page()];
    const cuttable = new CuttablePage(page);
    await cuttable.prepare();
    for (const tab of [shop, page]) await tab.setViewportSize({ width: 400, height: 300 });
    await shop.goto(`${address}/staff`);
    await page.goto(`${address}/orders/1042`);
    await page.getByText('Live', { exact: true }).waitFor();
    return new OrderStatus(server, shop, cuttable);
  }

  /** The shop takes the next step; resolves when the page of the shop shows it as publication `offset`. */
  async advance(offset: number): Promise<void> {
    await this.shop.getByRole('button').click();
    await this.shop.getByText(`Published ${offset} `).waitFor();
  }

  /** Two steps live, two while the customer is away; resolves when the customer's page has recovered them. */
  async throughTheTunnel(): Promise<void> {
    await this.advance(1);
    await this.advance(2);
    await this.customer.locator('li.done').nth(1).waitFor();
    await this.#cuttable.cut();
    await this.customer.getByText('Offline').waitFor();
    await this.advance(3);
    await this.advance(4);
    this.#cuttable.heal();
    await this.customer.locator('li.recovered').nth(1).waitFor({ timeout: 60_000 });
  }

  async stop(): Promise<void> {
    await this.#server.stop();
  }
}
