import { type Browser, eventually } from '@msg/testkit';
import type { Page } from 'playwright-core';
import type { JsonObject } from '#src/document/json.ts';
import { GOLDEN_CHANGESETS, type GoldenChangeset, golden } from '../changeset/golden-changesets.ts';
import { makePast } from './documentation-pictures.ts';
import { EXAMPLES } from './examples.ts';
import { PageServer } from './page-server.ts';
import { CHARTS_FIT, STILL, type TakenPicture } from './pictures.ts';
import { handOver } from './reviewing.ts';
import { wholePage } from './whole-page.ts';

const PATIENT_MS = 60_000;
const DAY_MS = 86_400_000;

/** A page whose pictures are kept. */
interface KeptPage {
  /** First part of the names of its pictures. */
  readonly name: string;
  readonly url: string;
  /** Width and colours of each of its pictures. */
  readonly looks: readonly (readonly [width: number, scheme: 'light' | 'dark'])[];
}

const AROUND = [
  [1280, 'light'],
  [390, 'light'],
] as const;
const REVIEWED = [
  [1280, 'light'],
  [1280, 'dark'],
] as const;

/** The example with every type, under an id. */
function everything(id: string): JsonObject {
  const example = EXAMPLES.find(({ manifest }) => (manifest as JsonObject)['id'] === 'everything') ?? {};
  return { ...example, manifest: { ...(example['manifest'] as JsonObject), id } };
}

/** The document of each golden changeset. */
export const reviewedId = ({ name }: GoldenChangeset): string => `golden-${name.replaceAll(' ', '-')}`;

/** The dashboards that the golden changesets change, each of its own. */
export const reviewedDocuments = (): JsonObject[] =>
  GOLDEN_CHANGESETS.filter(({ create }) => create !== true).map(changeset => ({
    ...golden(),
    manifest: { formatVersion: '1.0.0', id: reviewedId(changeset), title: 'Service' },
  }));

/** Hands a golden changeset over and answers the name of its proposal. */
export const handOverGolden = (server: PageServer, changeset: GoldenChangeset): Promise<string> =>
  handOver(server, {
    id: reviewedId(changeset),
    ops: changeset.ops,
    proposer: { name: 'agent', version: '1.0' },
    create: changeset.create,
  });

/** Takes the pictures of all pages around dashboards and of the golden reviews, or of those with these names. */
export async function* takePagePictures(
  browser: Browser,
  names: readonly string[] = [],
): AsyncGenerator<TakenPicture> {
  const server = await PageServer.start(reviewedDocuments(), 'git');
  const past = await PageServer.start([], 'git');
  const plain = await PageServer.start([
    everything('everything'),
    { ...everything('broken'), variables: [] },
  ]);
  const page = await browser.page();
  try {
    await makePast(past);
    for await (const kept of pagesOf(server, past, plain)) {
      if (names.length > 0 && !names.includes(kept.name)) continue;
      for (const [width, scheme] of kept.looks) yield await pictureOf(page, kept, width, scheme);
    }
  } finally {
    await page.close();
    await plain.stop();
    await past.stop();
    await server.stop();
  }
}

async function* pagesOf(server: PageServer, past: PageServer, plain: PageServer): AsyncGenerator<KeptPage> {
  const wrong = 'team=ops&weeks=99&scores.rows=1&nothing=1&$time=soon';
  const faults = {
    'wrong-settings': `/d/everything?${wrong}`,
    broken: '/d/broken',
    unknown: '/d/everythin',
  };
  for (const [name, path] of Object.entries(faults))
    yield { name: `page-${name}`, url: plain.url + path, looks: AROUND };
  for (const changeset of GOLDEN_CHANGESETS) {
    const url = `${server.url}/r/${await handOverGolden(server, changeset)}`;
    yield { name: `review-${changeset.name.replaceAll(' ', '-')}`, url, looks: REVIEWED };
  }
  const around = {
    list: '/',
    history: '/d/inventory/history',
    compare: '/d/inventory/compare',
    new: '/new',
    review: '/review',
  };
  for (const [name, path] of Object.entries(around))
    yield { name: `page-${name}`, url: past.url + path, looks: AROUND };
  const ops = [{ op: 'replace', path: '/$manifest/title', value: 'Stock' }];
  const late = await handOver(past, { id: 'inventory', ops, note: 'Nobody has looked at this' });
  past.forward(DAY_MS);
  yield { name: 'page-expired', url: `${past.url}/r/${late}`, looks: AROUND };
}

async function pictureOf(
  page: Page,
  { name, url }: KeptPage,
  width: number,
  scheme: 'light' | 'dark',
): Promise<TakenPicture> {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ media: 'screen', colorScheme: scheme, reducedMotion: 'reduce' });
  await page.goto(url);
  await page.locator('html.js').waitFor();
  await eventually(`the page of ${name}`, async () => (await page.evaluate(HEARS)) === true, PATIENT_MS);
  await page.evaluate(STILL);
  await page.evaluate(MASKED);
  const boxes = String(await page.evaluate(BOXES));
  const png = await wholePage(page);
  return { name: `${name}-${width}-${scheme}`, boxes, png };
}

/** A page that listens does, and its items are there; those of a dashboard are drawn for the width of the page. */
const HEARS = `(() => {
  const dashboard = document.querySelector('#live');
  const state = dashboard ?? document.querySelector('#watch');
  const isReady = state === null || ['Live', 'Document unchanged'].includes(state.textContent.trim());
  const isDrawn = dashboard === null || ${CHARTS_FIT};
  return isReady && isDrawn && document.querySelector('#canvas [data-state=loading]') === null;
})()`;

/** Moments and names of revisions are others every time: they are taken out. */
const MASKED = `(() => {
  for (const time of document.querySelectorAll('time')) time.textContent = 'some time ago';
  for (const name of document.querySelectorAll('.mono'))
    if (/^[0-9a-f]{7,40}$/.test(name.textContent.trim())) name.textContent = 'abcdef0';
})()`;

/** A line for each text, control and item of a page: its place rounded to 4 px, and what it says. */
const BOXES = `[...document.querySelectorAll('main :is(h1, h2, h3, p, li, dt, dd, th, td, button, a.btn, input, textarea, select, label, figcaption, .verdict, [data-node])')].flatMap(part => {
  const { left, top, width, height } = part.getBoundingClientRect();
  if (width === 0 || height === 0) return [];
  const rectangle = [left + scrollX, top + scrollY, width, height].map(length => Math.round(length / 4) * 4);
  const name = part.dataset.node ?? part.tagName.toLowerCase();
  const text = (part.innerText ?? '').replace(/\\s+/g, ' ').trim().slice(0, 160);
  return [[name, ...rectangle, text].join(' ').trim()];
}).join('\\n') + '\\n'`;
