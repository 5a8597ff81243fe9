import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@msg/foundation/clock';
import type { Browser } from '@msg/testkit';
import type { JsonObject } from '#src/document/json.ts';
import { git } from '../store/stores.ts';
import { EXAMPLES } from './examples.ts';
import { PageServer } from './page-server.ts';
import { handOver } from './reviewing.ts';
import { wholePage } from './whole-page.ts';

const HOUR_MS = 3_600_000;
const WIDTH = 1280;

const SHOWN = ['inventory', 'region-explorer', 'ops-wallboard', 'release-notes'];

/** A commit before the pictures were taken. */
interface PastCommit {
  readonly message: string;
  readonly author: string;
  readonly hours: number;
  edit(text: string): string;
}

/** What happened to one dashboard, the oldest first. */
const PAST: readonly PastCommit[] = [
  {
    message: 'Name it by what it holds',
    author: 'Mara Lindqvist',
    hours: 75,
    edit: text => text.replace('"title":"Inventory"', '"title":"Stock"'),
  },
  {
    message: 'There are two warehouses now',
    author: 'Jonas Weber',
    hours: 29,
    edit: text => text.replace('"title":"Stock"', '"title":"Stock of both warehouses"'),
  },
  {
    message: 'Bars compare better than slices',
    author: 'Mara Lindqvist',
    hours: 3,
    edit: text => text.replace('"kind":"pie"', '"kind":"bar"'),
  },
];

/** A proposal that changes a chart and how it stands, and adds a figure. */
const PROPOSED = {
  id: 'inventory',
  note: 'Give the table room, and say how many parts there are',
  proposer: { name: 'claude-code', version: '2.1' },
  ops: [
    { op: 'replace', path: '/body/config/grid/columns', value: [2, 1] },
    { op: 'replace', path: '/share-block/config/title', value: 'Share of each part' },
    { op: 'replace', path: '/share/config/kind', value: 'pie' },
    {
      op: 'add',
      path: '/body/children/-',
      value: {
        id: 'parts-block',
        type: 'block',
        config: {
          title: 'Parts',
          content: { id: 'parts', type: 'metric', config: { title: 'Parts in stock', value: 200 } },
        },
      },
    },
  ],
};

/** Pictures of the running product for the documentation, by name. */
export async function* documentationPictures(
  browser: Browser,
): AsyncGenerator<{ readonly name: string; readonly png: Uint8Array }> {
  const server = await PageServer.start([], 'git');
  const page = await browser.page();
  try {
    await makePast(server);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    const pages = [
      ['dash-page', '/d/region-explorer'],
      ['dash-list', '/'],
      ['dash-history', '/d/inventory/history'],
      ['dash-new', '/new'],
    ] as const;
    for (const [name, path] of pages) {
      await page.setViewportSize({ width: WIDTH, height: 400 });
      await page.goto(server.url + path, { waitUntil: 'networkidle' }).catch(() => undefined);
      await page.locator('main').waitFor();
      if (name === 'dash-page') await page.locator('.plot svg').first().waitFor();
      yield { name, png: await wholePage(page) };
    }
    await page.setViewportSize({ width: WIDTH, height: 900 });
    await page.goto(`${server.url}/r/${await handOver(server, PROPOSED)}`);
    await page.locator('#watch.ok').waitFor();
    yield { name: 'dash-review', png: await wholePage(page) };
  } finally {
    await page.close();
    await server.stop();
  }
}

/** Commits of several people over several days, and a proposal that waits. */
export async function makePast(server: PageServer): Promise<void> {
  const { root } = server;
  git(root, 'init', '-q', '--initial-branch=main');
  const commit = ({ message, author, hours }: Omit<PastCommit, 'edit'>): void => {
    const date = new Date(systemClock.now() - hours * HOUR_MS).toISOString();
    git(root, 'add', '.');
    git(root, 'commit', '-qm', message, `--date=${date}`, `--author=${author} <mail@example.org>`);
  };
  const fileOf = (id: string): string => join(root, `${id}.json`);
  for (const [index, id] of SHOWN.entries()) {
    const example = EXAMPLES.find(({ manifest }) => (manifest as JsonObject)['id'] === id) ?? {};
    await writeFile(fileOf(id), JSON.stringify(example));
    commit({ message: `Create dashboard ${id}`, author: 'Mara Lindqvist', hours: 99 - index });
  }
  const file = fileOf(SHOWN[0] ?? '');
  for (const past of PAST) {
    await writeFile(file, past.edit(await readFile(file, 'utf8')));
    commit(past);
  }
  const ops = [{ op: 'add', path: '/$manifest/description', value: 'Where the orders come from' }];
  await handOver(server, { id: 'region-explorer', ops });
}
