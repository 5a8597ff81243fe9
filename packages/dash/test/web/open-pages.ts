import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Browser, eventually } from '@msg/testkit';
import type { Page } from 'playwright-core';
import type { JsonObject } from '#src/document/json.ts';
import { DashdocProcess } from './dashdoc-process.ts';

/** How many pages are open, and for how long somebody commits once a second. */
export interface OpenPagesPlan {
  /** Clients that listen and ask as the script of a page does. */
  readonly clients: number;
  /** Pages in Chromium. */
  readonly pages: number;
  readonly commits: number;
}

export interface OpenPagesResult {
  /** Pages that showed another revision than the last one. */
  readonly behind: number;
  /** Bytes of live objects of the server before the pages were open, and after they were closed. */
  readonly before: number;
  readonly after: number;
  /** Answers that the clients read. */
  readonly answers: number;
}

const PATIENT_MS = 120_000;
const ID = 'watched';

const block = (id: string, type: string, config: JsonObject): JsonObject => ({
  id: `${id}-block`,
  type: 'block',
  config: { content: { id, type, config } },
});

const DOCUMENT: JsonObject = {
  manifest: { formatVersion: '1.0.0', id: ID, title: 'Watched' },
  root: {
    id: 'page',
    type: 'container',
    children: [
      {
        id: 'body',
        type: 'container',
        children: [
          block('words', 'markdown', { source: 'Commit 0.' }),
          block('bars', 'chart', { kind: 'bar', x: 'x', series: [{ field: 'y' }], rows: [{ x: 'a', y: 1 }] }),
          block('figure', 'metric', { title: 'Figure', value: 1 }),
        ],
      },
    ],
  },
};

/** Opens the pages, commits once a second, and looks at what each page shows and what the server holds afterwards. */
export async function watchCommits({ clients, pages, commits }: OpenPagesPlan): Promise<OpenPagesResult> {
  const root = await mkdtemp(join(tmpdir(), 'dash-open-pages-'));
  await writeFile(join(root, `${ID}.json`), JSON.stringify(DOCUMENT));
  const server = await DashdocProcess.serve(root);
  const browser = await Browser.start();
  try {
    // Once before: what is loaded and kept by the first of its kind is no loss.
    await crowd(server, browser, { clients: 20, pages: 1, commits: 1 }, 'Warm');
    const { heap: before } = await server.meter();
    const { behind, answers } = await crowd(server, browser, { clients, pages, commits }, 'Commit');
    await eventually('all places free', () => hasPlaces(server, clients + pages), PATIENT_MS, 500);
    const { heap: after } = await server.meter();
    return { behind, before, after, answers };
  } finally {
    await browser.stop();
    await server.stop();
    await rm(root, { recursive: true });
  }
}

async function crowd(
  server: DashdocProcess,
  browser: Browser,
  { clients, pages, commits }: OpenPagesPlan,
  word: string,
): Promise<{ behind: number; answers: number }> {
  const readers = Array.from({ length: clients }, () => new Reader(server.url));
  const tabs: Page[] = [];
  for (let tab = 0; tab < pages; tab++) {
    const page = await browser.page();
    await page.goto(`${server.url}/d/${ID}`);
    tabs.push(page);
  }
  await eventually(
    'listening pages',
    async () => {
      const live = await Promise.all(tabs.map(tab => tab.textContent('#live')));
      return readers.every(({ isListening }) => isListening) && live.every(text => text === 'Live');
    },
    PATIENT_MS,
    50,
  );
  for (let count = 1; count <= commits; count++) {
    await commit(server.url, `${word} ${count}.`);
    await new Promise(resolve => setTimeout(resolve, 1_000));
  }
  const last = `${word} ${commits}.`;
  const shown = async (): Promise<boolean[]> => [
    ...readers.map(reader => reader.html.includes(last)),
    ...(await Promise.all(tabs.map(async tab => (await tab.innerText('#n-words')) === last))),
  ];
  await eventually('the last revision', async () => (await shown()).every(Boolean), PATIENT_MS, 100).catch(
    () => {},
  );
  const behind = (await shown()).filter(isLast => !isLast).length;
  for (const reader of readers) reader.close();
  for (const tab of tabs) await tab.close();
  return { behind, answers: readers.reduce((sum, { answers }) => sum + answers, 0) };
}

async function commit(url: string, source: string): Promise<void> {
  const ops = [{ op: 'replace', path: '/words/config/source', value: source }];
  const answer = await fetch(`${url}/api/patch`, { method: 'POST', body: JSON.stringify({ id: ID, ops }) });
  if (answer.status !== 200) throw new Error(`commit: ${answer.status} ${await answer.text()}`);
}

/** True when so many pages can listen, all of which a forgotten listener would prevent. */
async function hasPlaces(server: DashdocProcess, count: number): Promise<boolean> {
  const all = new AbortController();
  const answers = await Promise.all(
    Array.from({ length: count }, () => fetch(`${server.url}/api/d/${ID}/events`, { signal: all.signal })),
  );
  all.abort();
  return answers.every(({ status }) => status === 200);
}

/** What the script of a page does: listens, and asks for the document when it has changed. */
class Reader {
  html = '';
  answers = 0;
  isListening = false;
  readonly #api: string;
  readonly #ending = new AbortController();
  #asking = false;
  #again = false;

  constructor(url: string) {
    this.#api = `${url}/api/d/${ID}`;
    void this.#listen().catch(() => {});
  }

  close(): void {
    this.#ending.abort();
  }

  async #listen(): Promise<void> {
    const { body } = await fetch(`${this.#api}/events`, { signal: this.#ending.signal });
    const decoder = new TextDecoder();
    for await (const chunk of body ?? []) {
      this.isListening = true;
      if (decoder.decode(chunk, { stream: true }).includes('event: document'))
        void this.#ask().catch(() => {});
    }
  }

  async #ask(): Promise<void> {
    this.#again = this.#asking;
    if (this.#asking) return;
    this.#asking = true;
    const answer = await fetch(`${this.#api}/items`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
      signal: this.#ending.signal,
    });
    this.html = await answer.text();
    this.answers++;
    this.#asking = false;
    if (this.#again) await this.#ask();
  }
}
