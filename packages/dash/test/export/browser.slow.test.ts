import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalBytes } from '#src/document/canonical.ts';
import { openStore } from '#src/store/open-store.ts';
import { fullDashdoc } from '../cli/console.ts';
import { example, exampleNames } from '../resolve/golden.ts';
import { RULES_OF_COLOUR, RULES_OF_LAYOUT } from '../web/axe.ts';
import { PageServer } from '../web/page-server.ts';
import { Visit } from '../web/visit.ts';

const PATIENT_MS = 240_000;
const WIDTHS = [1280, 390];

/** Each scheme and each width is looked at with all rules; otherwise with those that the other scheme or width decides. */
function rulesFor(width: number, dark: boolean): readonly string[] | undefined {
  if (width === 1280) return dark ? RULES_OF_COLOUR : undefined;
  return dark ? undefined : RULES_OF_LAYOUT;
}

let folder: string;
let server: PageServer;
let visit: Visit;
/** Another browser, without a network. */
let file: Visit;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dash-export-'));
  const store = openStore('fs', folder);
  for (const name of exampleNames) await store.save(name, canonicalBytes(example(name)));
  server = await PageServer.start(exampleNames.map(example));
  visit = await Visit.start(server.url);
  file = await Visit.start('');
}, PATIENT_MS);

afterAll(async () => {
  await visit.stop();
  await file.stop();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Place across the sheet of every item with rows or text, and the size of what it shows. An error has a button on the page
 * only, and a picture of the server is a frame in the file.
 */
const LOOK = `[...document.querySelectorAll(':is(.t-chart,.t-table,.t-metric,.t-markdown,.t-heading):not([data-state=error])')].map(node => {
  const sheet = document.querySelector('.sheet').getBoundingClientRect();
  const inner = node.querySelector('.plot,.tile,.tablewrap,.prose,.hitem,.none') ?? node;
  const { left, width, height } = inner.getBoundingClientRect();
  return [node.dataset.node, left - sheet.left, width, height];
})`;

type Looked = readonly (readonly [id: string, left: number, width: number, height: number])[];
/** The script of the page draws a chart again for the size of its cell, which is rounded. */
const TOLERANCE = 16;

const lookAt = ({ page }: Visit): Promise<Looked> => page.evaluate(LOOK);

/** Ids of items that another look has elsewhere or in another size. */
function differing(looked: Looked, other: Looked): string[] {
  const sizes = new Map(other.map(([id, ...size]) => [id, size]));
  const wrong = looked.filter(([id, ...size]) =>
    size.some((part, at) => !(Math.abs(part - (sizes.get(id)?.[at] ?? Number.NaN)) <= TOLERANCE)),
  );
  return [...wrong.map(([id]) => id), ...(looked.length === other.length ? [] : ['another number of items'])];
}

describe.each(exampleNames)('the file of %s in Chromium', name => {
  it('asks for nothing, is accessible in both schemes, and looks as the page does', {
    timeout: PATIENT_MS,
  }, async () => {
    const out = join(folder, `${name}.html`);
    const done = await fullDashdoc(['export', name, '--root', folder, '--out', out]);
    expect(done.status).toBe(0);
    for (const width of WIDTHS) {
      await visit.open(`/d/${name}?render=all`, { width });
      const page = await lookAt(visit);
      const requests: string[] = [];
      await file.open('about:blank', { width });
      await file.page.context().setOffline(true);
      file.page.on('request', request => requests.push(request.url()));
      await file.page.goto(pathToFileURL(out).href);
      for (const dark of [false, true]) {
        await file.page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
        expect(await file.axeViolations(rulesFor(width, dark))).toEqual([]);
        expect(await file.sideways()).toBeLessThanOrEqual(0);
      }
      expect(requests.filter(url => !url.startsWith('data:'))).toEqual([pathToFileURL(out).href]);
      expect(file.complaints).toEqual([]);
      expect(differing(await lookAt(file), page)).toEqual([]);
    }
  });
});
