import { Browser } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#src/document/json.ts';
import { PROPOSAL_LIMITS } from '#src/proposals/proposal-list.ts';
import { golden } from '../changeset/golden-changesets.ts';
import { ask, askJson } from '../http/serving.ts';
import { hostileTexts } from './every-state.ts';
import { PageServer } from './page-server.ts';
import { handOver, linkOf, PATIENT_MS, postTo, Reviewer, renaming, treeOf } from './reviewing.ts';

let server: PageServer;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([PageServer.start([golden(), hostileTexts()]), Browser.start()]);
}, PATIENT_MS);
afterAll(async () => {
  await browser.stop();
  await server.stop();
});

const open = (path: string, look = {}): Promise<Reviewer> => Reviewer.open(browser, server.url + path, look);
const openProposals = async (): Promise<number> =>
  (await askJson(`${server.url}/api/proposals`)).body.proposals.filter(
    ({ state }: { state: string }) => state === 'open',
  ).length;

describe('every page of a review', () => {
  it(
    'is accessible, fits and raises no complaint, light and dark, wide and narrow',
    async () => {
      const name = await handOver(server, {
        id: 'golden',
        note: 'Asked for by Mara',
        proposer: { name: 'agent', version: '1' },
        ops: [
          { op: 'replace', path: '/latency-block/config/title', value: 'p95' },
          { op: 'replace', path: '/$connections/0/config/rows', value: [] },
          { op: 'move', from: '/errors-block', path: '/side/children/-' },
          { op: 'remove', path: '/note-block' },
        ],
      });
      const broken = await handOver(server, { id: 'golden', ops: [{ op: 'remove', path: '/$variables/0' }] });
      const paths = [
        '/review',
        `/r/${name}`,
        `/r/${name}?$view=page`,
        `/r/${name}/json`,
        `/r/${broken}`,
        '/r/unknown',
      ];
      for (const path of paths) {
        for (const look of [{ dark: false }, { dark: true, width: 390 }]) {
          const reviewer = await open(path, look);
          await reviewer.page.locator('html.js').waitFor();
          expect(await reviewer.axeViolations(), path).toEqual([]);
          expect(await reviewer.sideways(), path).toBeLessThanOrEqual(0);
          expect(reviewer.complaints.filter(text => !text.includes('404'))).toEqual([]);
          await reviewer.page.close();
        }
      }
      expect((await ask(`${server.url}/r/unknown`)).status).toBe(404);
    },
    PATIENT_MS,
  );

  it('reads without a script', async () => {
    const name = await handOver(server, { id: 'golden', ops: renaming('Read') });
    const { text, headers } = await ask(`${server.url}/r/${name}`);
    expect(text).toContain('<del>Service</del>');
    expect(headers['content-security-policy']).toContain("img-src 'self' data:;");
    const whole = await ask(`${server.url}/r/${name}?$view=page`);
    expect(whole.text).toContain('id="n-after-errors"');
    expect((await ask(`${server.url}/r/${name}/json`)).text).toContain('class="l removed"');
  });
});

describe('hostile texts of a proposal', () => {
  it(
    'add no element, load nothing and raise no report',
    async () => {
      const hostile = '</script><img src=x onerror=alert(1)> ]]> javascript:alert(1) \u202Egpj.exe "onload=1';
      const picture = (id: string, content: JsonObject): Json => ({
        id: `${id}-block`,
        type: 'block',
        config: { title: hostile, content: { id, ...content } },
      });
      const source =
        '![a](http://127.0.0.1:9/x.png) ![b](//127.0.0.1:9/y.png) [![c](http://127.0.0.1:9/z.png)](http://127.0.0.1:9/)';
      const name = await handOver(server, {
        id: 'hostile',
        note: hostile,
        proposer: { name: hostile, version: hostile },
        ops: [
          { op: 'replace', path: '/$manifest/title', value: hostile + hostile },
          { op: 'replace', path: '/table-block/config/title', value: `x${hostile}` },
          { op: 'replace', path: '/heading/config/text', value: `y${hostile}` },
          {
            op: 'add',
            path: '/body/children/-',
            value: picture('far', {
              type: 'image',
              config: { src: 'http://127.0.0.1:9/p.png', alt: hostile },
            }),
          },
          {
            op: 'add',
            path: '/body/children/-',
            value: picture('words2', { type: 'markdown', config: { source } }),
          },
        ],
      });
      for (const path of [`/r/${name}`, `/r/${name}?$view=page`, `/r/${name}/json`, '/review']) {
        const reviewer = await open(path);
        await reviewer.page.locator('html.js').waitFor();
        const { page } = reviewer;
        expect(await page.locator('script').count()).toBe(2);
        expect(await page.locator('img:not([src=""]), [onerror], [onload], main [style]').count()).toBe(0);
        expect(await page.locator('[href^="javascript:" i]').count()).toBe(0);
        if (path === `/r/${name}`) expect(await page.locator('.after .remote').count()).toBe(4);
        expect(reviewer.complaints).toEqual([]);
        expect(
          reviewer.asked.filter(address => !address.startsWith(server.url) && !address.startsWith('data:')),
        ).toEqual([]);
        await page.close();
      }
    },
    PATIENT_MS,
  );
});

describe('a link that holds its proposal', () => {
  it(
    'leads to the review; with one character altered it says that it is damaged',
    async () => {
      const before = await openProposals();
      const path = linkOf({ id: 'golden', ops: renaming('By link'), note: 'By link' });
      const damaged = await open(`${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`);
      await damaged.reads('This link is damaged');
      expect(await openProposals()).toBe(before);
      await damaged.page.close();
      const reviewer = await open(path);
      await reviewer.page.waitForURL(`${server.url}/r/**`);
      await reviewer.reads('Renamed the dashboard “Service” to “By link”');
      expect((await treeOf(server, 'golden')).manifest.title).toBe('Service');
      const unknown = await open(linkOf({ id: 'nothing', ops: renaming('x') }));
      await unknown.reads('STORAGE_NOT_FOUND');
      expect(reviewer.complaints).toEqual([]);
      await Promise.all([reviewer.page.close(), unknown.page.close()]);
    },
    PATIENT_MS,
  );
});

describe('a review that is over', () => {
  it(
    'is accessible, fits and raises no complaint, whatever became of it',
    async () => {
      const expired = await handOver(server, { id: 'golden', ops: renaming('Late') });
      server.forward(PROPOSAL_LIMITS.openMs);
      const proposer = { name: 'agent', version: '1' };
      const superseded = await handOver(server, { id: 'golden', ops: renaming('Old'), proposer });
      const returned = await handOver(server, { id: 'golden', ops: renaming('Newer'), proposer });
      await postTo(server, `/api/proposals/${returned}/return`, { comment: 'Not this one' });
      const ops = [{ op: 'replace', path: '/latency-block/config/title', value: 'Committed' }];
      const committed = await handOver(server, { id: 'golden', ops });
      await postTo(server, '/api/patch', { id: 'golden', ops, proposal: committed, inverse: true });
      const states = {
        [superseded]: /^Superseded$/,
        [returned]: /^Sent back$/,
        [committed]: /^Committed as \w+$/,
        [expired]: /^Expired$/,
      };
      for (const [name, heading] of Object.entries(states)) {
        for (const look of [{ dark: false, width: 390 }, { dark: true }]) {
          const reviewer = await open(`/r/${name}`, look);
          await reviewer.page.locator('html.js').waitFor();
          expect((await reviewer.page.locator('#decide-name').allInnerTexts()).join()).toMatch(heading);
          expect(await reviewer.axeViolations(), heading.source).toEqual([]);
          expect(await reviewer.sideways(), heading.source).toBeLessThanOrEqual(0);
          expect(reviewer.complaints).toEqual([]);
          await reviewer.page.close();
        }
      }
    },
    PATIENT_MS,
  );
});
