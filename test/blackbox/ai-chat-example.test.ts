// examples/ai-chat in Chromium: two nodes on one Redis, and everything that may happen to a page while an answer comes.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Browser, eventually, ShellProcess } from '@msg/testkit';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { thoughtsOn, toolInput, wordsFor } from '../../examples/ai-chat/model.ts';
import { axeFaults, equip, PageComplaints, sidewaysScroll } from '../support/page-visit.ts';
import { blocksOf, ROOT, readPage } from '../support/pages.ts';

interface Run {
  readonly status: string;
  readonly reason: string;
  readonly abortedAt: number | null;
}

/** What a page showed: the text, the thoughts and the tool's input of its answers, at each change. */
interface Sample {
  readonly answers: number;
  readonly text: string;
  readonly reasoning: string;
  readonly tool: string;
  readonly state: string;
}

const OFFLINE_MS = 5000;
const TEST_MS = 120_000;

/** Runs in the page: notes what is shown at each change. */
const SAMPLER = `
  globalThis.samples = [];
  const all = selector => [...document.querySelectorAll('#messages li[data-role=assistant]' + selector)];
  const textOf = selector => all(selector).map(({ textContent }) => textContent).join('');
  new MutationObserver(() => globalThis.samples.push({
    answers: all('').length,
    text: textOf(' .text'),
    reasoning: textOf(' .reasoning'),
    tool: textOf(' .tool'),
    state: all(' .tool')[0]?.dataset.state ?? '',
  })).observe(document, { childList: true, subtree: true, characterData: true });
`;

/** Runs in the page: presses stop, and answers when. */
const PRESS_STOP = `(() => {
  const now = Date.now();
  document.querySelector('#stop').click();
  return now;
})()`;

let example: ShellProcess;
let browser: Browser;
let address: string;
const pages: Page[] = [];

beforeAll(async () => {
  const start = blocksOf(readPage('examples/ai-chat/README.md')).find(
    ({ language }) => language === 'sh',
  )?.text;
  example = new ShellProcess(`${start?.trim()} --silent`, {
    cwd: join(ROOT, 'examples/ai-chat'),
    env: { PORT: '0' },
  });
  browser = await Browser.start();
  [, address = ''] = await example.printed('stdout', /ai-chat on (http:\S+)/);
}, TEST_MS);
afterEach(async () => {
  await Promise.all(pages.splice(0).map(page => page.close()));
});
afterAll(async () => {
  await browser.stop();
  await example.stop();
});

/** A tab on a chat. */
async function tab(chat: string): Promise<Page> {
  const page = await browser.page();
  pages.push(page);
  await page.addInitScript(SAMPLER);
  await page.goto(`${address}/#${chat}`);
  await page.waitForSelector('#ask');
  return page;
}

async function ask(page: Page, question: string): Promise<void> {
  await page.fill('#ask input', question);
  await page.press('#ask input', 'Enter');
}

const shows = (page: Page, text: string) =>
  page.locator('#messages li[data-role=assistant]', { hasText: text }).waitFor({ timeout: 60_000 });
const runsOf = async (chat: string): Promise<Run[]> =>
  (await (await fetch(`${address}/api/runs?chat=${chat}`)).json()) as Run[];

/** The page has shown one answer whose text was a prefix of the model's at each moment. */
async function samplesOf(page: Page, question: string): Promise<Sample[]> {
  const full = wordsFor(question).join('');
  const samples = await page.evaluate<Sample[]>('globalThis.samples');
  const wrong = samples.filter(
    ({ answers, text, reasoning }) =>
      answers > 1 || !full.startsWith(text) || !thoughtsOn(question).startsWith(reasoning),
  );
  expect(wrong.slice(0, 3)).toEqual([]);
  return samples;
}

/** The page shows the whole answer. */
async function isWhole(page: Page, question: string): Promise<void> {
  await shows(page, wordsFor(question).at(-1)?.trim() ?? '');
  const last = (await samplesOf(page, question)).at(-1);
  expect(last?.text).toBe(wordsFor(question).join(''));
  expect(last?.answers).toBe(1);
}

/** Process of the one node that has a connection. */
async function nodeWithTab(): Promise<number> {
  const [, ...nodes] = await example.printed(
    'stdout',
    /node (\S+) is process (\d+)\nnode (\S+) is process (\d+)/,
  );
  const [one = '', pid, other = '', otherPid] = nodes;
  const isConnected = async (url: string): Promise<boolean> =>
    /^msg_connections_active\{.*\} [1-9]/m.test(await (await fetch(`${url}/metrics`)).text());
  await eventually(
    'one node has the tab',
    async () => (await isConnected(one)) !== (await isConnected(other)),
  );
  return Number((await isConnected(one)) ? pid : otherPid);
}

/** Presses stop in a page; the model hears of it within a second, and both pages show it. */
async function stops(pressed: Page, other: Page, chat: string): Promise<void> {
  const start = await pressed.evaluate<number>(PRESS_STOP);
  await eventually('the model has heard of it', async () => (await runsOf(chat)).at(-1)?.abortedAt != null);
  expect(((await runsOf(chat)).at(-1)?.abortedAt ?? 0) - start).toBeLessThan(1000);
  for (const page of [pressed, other]) {
    await page.waitForSelector('#runs li[data-status=cancelled]:has-text("stopped by the user")');
    await page.waitForSelector('#status:text-is("ready")');
  }
}

it(
  'shows reasoning and a tool’s input while they are streamed, then the text',
  async () => {
    const page = await tab('plain');
    await ask(page, 'Plain');
    await isWhole(page, 'Plain');
    const samples = await samplesOf(page, 'Plain');
    const thoughts = samples.map(({ reasoning }) => reasoning);
    expect(thoughts).toContain(thoughtsOn('Plain'));
    expect(thoughts.some(text => text !== '' && text.length < thoughtsOn('Plain').length)).toBe(true);
    expect(samples.some(({ state }) => state === 'input-streaming')).toBe(true);
    expect(samples.at(-1)).toMatchObject({ tool: toolInput('Plain'), state: 'output-available' });
  },
  TEST_MS,
);

it(
  'survives a reload in the middle',
  async () => {
    const page = await tab('reload');
    await ask(page, 'Reload');
    await shows(page, 'word 30,');
    await samplesOf(page, 'Reload');
    await page.reload();
    await isWhole(page, 'Reload');
  },
  TEST_MS,
);

it(
  'comes to a second tab that is opened in the middle',
  async () => {
    const first = await tab('second');
    await ask(first, 'Second');
    await shows(first, 'word 30,');
    const second = await tab('second');
    await Promise.all([isWhole(first, 'Second'), isWhole(second, 'Second')]);
  },
  TEST_MS,
);

it(
  'comes to a second tab that was there before, with the question',
  async () => {
    const [first, second] = [await tab('before'), await tab('before')];
    await ask(first, 'Before');
    await Promise.all([isWhole(first, 'Before'), isWhole(second, 'Before')]);
    expect(await second.locator('#messages li[data-role=user]').allTextContents()).toEqual(['Before']);
  },
  TEST_MS,
);

it(
  'is stopped in the other tab',
  async () => {
    const question = 'Endlessly';
    const first = await tab('stop');
    await ask(first, question);
    await shows(first, 'word 30,');
    const second = await tab('stop');
    await shows(second, 'word 30,');
    await stops(second, first, 'stop');
    const [one, other] = await Promise.all([samplesOf(first, question), samplesOf(second, question)]);
    expect(one.at(-1)?.text).toBe(other.at(-1)?.text);
  },
  TEST_MS,
);

it(
  'is stopped before the first token',
  async () => {
    const [first, second] = [await tab('early'), await tab('early')];
    await ask(first, 'Slowly');
    await eventually('the run is open', async () => (await runsOf('early')).length === 1);
    await stops(second, first, 'early');
    expect((await samplesOf(first, 'Slowly')).at(-1)?.text).toBe('');
  },
  TEST_MS,
);

it(
  'goes on while its component is away, and is whole when it comes back',
  async () => {
    const page = await tab('mount');
    await ask(page, 'Mount');
    await shows(page, 'word 30,');
    await page.click('#toggle');
    await page.waitForSelector('#messages', { state: 'detached' });
    await page.click('#toggle');
    await isWhole(page, 'Mount');
    expect((await runsOf('mount')).at(-1)).toMatchObject({ status: 'complete', abortedAt: null });
  },
  TEST_MS,
);

it(
  'is whole after 5 s without a network',
  async () => {
    const page = await tab('offline');
    await ask(page, 'Offline');
    await shows(page, 'word 30,');
    await page.context().setOffline(true);
    await pause(OFFLINE_MS);
    const { text } = (await samplesOf(page, 'Offline')).at(-1) ?? { text: '' };
    expect(text.length).toBeLessThan(wordsFor('Offline').join('').length);
    await page.context().setOffline(false);
    await isWhole(page, 'Offline');
  },
  TEST_MS,
);

it(
  'goes on when the node that serves the tab is killed',
  async () => {
    const page = await tab('killed');
    await ask(page, 'Killed');
    await shows(page, 'word 30,');
    process.kill(await nodeWithTab(), 'SIGKILL');
    await isWhole(page, 'Killed');
  },
  TEST_MS,
);

it(
  'has a page without a fault that axe finds, light and dark, wide and narrow, with an answer and without',
  async () => {
    const page = await browser.page();
    pages.push(page);
    await equip(page);
    const complaints = new PageComplaints(page);
    const look = async (): Promise<string[]> => {
      const faults: string[] = [];
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        for (const width of [1440, 390]) {
          await page.setViewportSize({ width, height: 900 });
          faults.push(...(await axeFaults(page)));
          if ((await sidewaysScroll(page)) > 0) faults.push(`${width} pixels are too narrow`);
        }
      }
      return faults;
    };
    await page.goto(`${address}/#look`);
    await page.waitForSelector('#ask');
    expect(await look()).toEqual([]);
    await ask(page, 'Look');
    await shows(page, wordsFor('Look').at(-1)?.trim() ?? '');
    await page.waitForSelector('#runs li[data-status=complete]');
    expect(await look()).toEqual([]);
    expect(complaints.take()).toEqual([]);
  },
  TEST_MS,
);
