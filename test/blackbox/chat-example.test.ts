import { fileURLToPath } from 'node:url';
import { Browser, ShellProcess } from '@msg/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** What the page's own functions use. */
interface PageGlobals {
  readonly document: { querySelector(selector: string): { readonly textContent: string | null } | null };
}

const root = fileURLToPath(new URL('../..', import.meta.url));
let chat: ShellProcess;
let browser: Browser;
let address: string;

beforeAll(async () => {
  const command = `"${process.execPath}" --conditions=msg-source examples/chat/server.ts`;
  chat = new ShellProcess(command, { cwd: root, env: { PORT: '0' } });
  browser = await Browser.start();
  [, address = ''] = await chat.printed('stdout', /chat on (http:\S+)/);
});
afterAll(async () => {
  await browser.stop();
  await chat.stop();
});

test('two visitors: a reader, then a room of friends with presence, kept over a reload', async () => {
  const [ada, bob] = [await browser.page(), await browser.page()];
  for (const page of [ada, bob]) {
    await page.goto(address);
    await page.waitForFunction(
      () =>
        (globalThis as unknown as PageGlobals).document.querySelector('#state')?.textContent === 'reading',
    );
    expect(await page.locator('#friends').isVisible()).toBe(false);
    expect(await page.locator('#lobby input').isDisabled()).toBe(true);
  }
  for (const [page, name] of [
    [ada, 'ada'],
    [bob, 'bob'],
  ] as const) {
    await page.fill('#name', name);
    await page.click('#sign-in');
    await page.waitForFunction(
      () =>
        (globalThis as unknown as PageGlobals).document.querySelector('#state')?.textContent === 'signed in',
    );
  }
  for (const page of [ada, bob]) {
    await page.waitForFunction(
      () =>
        (globalThis as unknown as PageGlobals).document.querySelector('#friends .present')?.textContent ===
        '2',
    );
    await page.waitForFunction(
      () =>
        (globalThis as unknown as PageGlobals).document.querySelector('#lobby .present')?.textContent === '2',
    );
  }
  await ada.fill('#friends input', 'hello bob');
  await ada.press('#friends input', 'Enter');
  await bob.fill('#lobby input', 'hello all');
  await bob.press('#lobby input', 'Enter');
  for (const page of [ada, bob]) {
    await page.locator('#friends li', { hasText: 'ada: hello bob' }).waitFor();
    await page.locator('#lobby li', { hasText: 'bob: hello all' }).waitFor();
  }
  await bob.reload();
  await bob.waitForFunction(
    () =>
      (globalThis as unknown as PageGlobals).document.querySelector('#state')?.textContent === 'signed in',
  );
  await ada.fill('#friends input', 'still there?');
  await ada.press('#friends input', 'Enter');
  await bob.locator('#friends li', { hasText: 'ada: still there?' }).waitFor();
  await ada.close();
  await bob.waitForFunction(
    () =>
      (globalThis as unknown as PageGlobals).document.querySelector('#friends .present')?.textContent === '1',
  );
});

test('its generated types are those of its schemas', async () => {
  const check = new ShellProcess(
    'npx msg-gen --registry-file examples/chat/schemas.json --lang ts --out examples/chat/gen --check',
    { cwd: root },
  );
  await check.succeeded();
});
