import { type Browser, eventually } from '@msg/testkit';
import type { Page } from 'playwright-core';
import { AllowedOrigins } from '#src/data/dial/allowed-origins.ts';
import type { QuerySettings } from '#src/data/sources.ts';
import type { JsonObject } from '#src/document/json.ts';
import { everyState } from './every-state.ts';
import { EXAMPLES } from './examples.ts';
import { newForms } from './new-forms.ts';
import { PageServer } from './page-server.ts';
import { SystemStates } from './system-states.ts';
import { wholePage } from './whole-page.ts';

/** The looks in which each document is kept (page and review 1.8). */
const LOOKS = ['light', 'dark', 'print'] as const;
const WIDTHS = [1280, 390];
const PATIENT_MS = 60_000;

/** Where the pictures of the repository are: text of the boxes, pixels, and what they were made with. */
export const GOLDEN = {
  madeWith: new URL('./golden/made-with.txt', import.meta.url),
  boxes: (name: string) => new URL(`./golden/${name}.txt`, import.meta.url),
  picture: (name: string) => new URL(`./golden/${name}.png`, import.meta.url),
};

/** One document in one width and look. */
export interface TakenPicture {
  readonly name: string;
  /** A line for each node: its rectangle rounded to 4 px, its state, its visible text. */
  readonly boxes: string;
  readonly png: Uint8Array;
}

/** What decides where things stand besides the page: major version of the browser, and widths of its fonts. */
export async function pictureMakers(browser: Browser): Promise<string> {
  const page = await browser.page();
  const makers = String(await page.evaluate(MAKERS));
  await page.close();
  return makers;
}

const MAKERS = `(() => {
  const context = document.createElement('canvas').getContext('2d');
  const width = font => {
    context.font = '100px ' + font;
    return context.measureText('Hamburgefonstiv 0123456789 – ms').width.toFixed(1);
  };
  const [, major] = /Chrome\\/(\\d+)/.exec(navigator.userAgent);
  return 'Chromium ' + major + ', widths ' + ['system-ui', 'sans-serif', 'monospace'].map(width).join(' ');
})()`;

/** Boxes without their rectangles: what the same page says with other fonts. */
export const withoutPlaces = (boxes: string): string => boxes.replace(/^(\S+)(?: -?\d+){4}/gm, '$1');

/** Takes the pictures of all documents, or of those with these ids, one after the other in one tab. */
export async function* takePictures(
  browser: Browser,
  ids: readonly string[] = [],
): AsyncGenerator<TakenPicture> {
  const isAsked = (id: string): boolean => ids.length === 0 || ids.includes(id);
  const systems = isAsked('system-states') ? await SystemStates.open() : undefined;
  const asked = systems === undefined ? [] : [systems.document()];
  const documents = [...EXAMPLES, everyState(), newForms(), ...asked];
  const server = await PageServer.start(documents, 'fs', settingsOf(systems));
  const page = await browser.page();
  try {
    await page.goto(`${server.url}/d/every-state`);
    await page.locator('#n-table-stale[data-state=ready]').waitFor();
    server.source.failing.add('stale');
    for (const document of documents) {
      if (!isAsked(idOf(document))) continue;
      for (const width of WIDTHS) yield* looksOf(page, server.url, document, width);
    }
  } finally {
    await page.close();
    await server.stop();
    await systems?.close();
  }
}

/** What the server of the pictures may ask. */
function settingsOf(systems: SystemStates | undefined): QuerySettings {
  if (systems === undefined) return {};
  return { allowed: new AllowedOrigins(systems.allow), environment: systems.environment };
}

const idOf = ({ manifest }: JsonObject): string => String((manifest as JsonObject)['id']);

async function* looksOf(
  page: Page,
  url: string,
  document: JsonObject,
  width: number,
): AsyncGenerator<TakenPicture> {
  const id = idOf(document);
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ media: 'screen', colorScheme: 'light', reducedMotion: 'reduce' });
  await page.goto(`${url}/d/${id}`);
  await eventually(`the page of ${id}`, async () => (await page.evaluate(DRAWN)) === true, PATIENT_MS);
  await page.evaluate(STILL);
  for (const look of LOOKS) {
    const media = look === 'print' ? 'print' : 'screen';
    await page.emulateMedia({
      media,
      colorScheme: look === 'dark' ? 'dark' : 'light',
      reducedMotion: 'reduce',
    });
    const boxes = String(await page.evaluate(BOXES));
    const png = await wholePage(page);
    yield { name: `${id}-${width}-${look}`, boxes, png };
  }
}

/** In the page: every chart is drawn for about the width that it has, as the page asks for it. */
export const CHARTS_FIT =
  "[...document.querySelectorAll('.t-chart .plot svg')].every(svg => Math.abs(svg.clientWidth / svg.viewBox.baseVal.width - 1) <= 0.2)";

/** The page listens and draws nothing any more but the items that wait for ever; ages are taken out, because they change. */
const DRAWN = `(() => {
  const loading = [...document.querySelectorAll('[data-state=loading]')].filter(item => !item.id.endsWith('-waits'));
  for (const badge of document.querySelectorAll('.badge.warn')) badge.textContent = 'some time old';
  const images = [...document.querySelectorAll('#canvas img')];
  for (const image of images) image.loading = 'eager';
  const loaded = images.every(image => image.complete && image.naturalWidth > 0);
  return loading.length === 0 && ${CHARTS_FIT} && loaded && document.querySelector('#live').textContent === 'Live';
})()`;

/** What appears after a time is there at once. */
export const STILL = `(() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, *::before, *::after { animation: none !important; transition: none !important; caret-color: transparent !important }');
  document.adoptedStyleSheets.push(sheet);
  return document.fonts.ready.then(() => true);
})()`;

const BOXES = `[...document.querySelectorAll('[data-node]')].map(node => {
  const { left, top, width, height } = node.getBoundingClientRect();
  const rectangle = [left + scrollX, top + scrollY, width, height].map(length => Math.round(length / 4) * 4);
  const text = node.hasAttribute('data-leaf') ? node.innerText.replace(/\\s+/g, ' ').trim().slice(0, 160) : '';
  return [node.dataset.node, ...rectangle, node.dataset.state ?? '', text].join(' ').trim();
}).join('\\n') + '\\n'`;
