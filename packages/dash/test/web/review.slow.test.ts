import { Browser } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { golden } from '../changeset/golden-changesets.ts';
import { askJson } from '../http/serving.ts';
import { git } from '../store/stores.ts';
import { PageServer } from './page-server.ts';
import { handOver, PATIENT_MS, postTo, Reviewer, renaming, treeOf } from './reviewing.ts';

const named = (id: string): JsonObject => ({
  ...golden(),
  manifest: { formatVersion: '1.0.0', id, title: 'Service' },
});

let server: PageServer;
let browser: Browser;
beforeAll(async () => {
  const ids = ['keys', 'back', 'stale', 'live', 'undo', 'looks', 'forged', 'gone'];
  [server, browser] = await Promise.all([PageServer.start(ids.map(named), 'git'), Browser.start()]);
}, PATIENT_MS);
afterAll(async () => {
  await browser.stop();
  await server.stop();
});

const titleOf = async (id: string): Promise<string> => (await treeOf(server, id)).manifest.title;
const focused = (reviewer: Reviewer): Promise<string> =>
  reviewer.page.evaluate('document.activeElement.id || document.activeElement.textContent');
const open = (path: string, look = {}): Promise<Reviewer> => Reviewer.open(browser, server.url + path, look);
const lastCommit = () => {
  const [subject = '', ...trailers] = git(
    server.root,
    'log',
    '-1',
    '--format=%s%n%(trailers:only,unfold)',
  ).split('\n');
  return { subject, trailers: trailers.filter(line => line !== '') };
};

describe('with the keyboard alone', () => {
  it(
    'a person gets from the list to a committed proposal, and back',
    async () => {
      const name = await handOver(server, {
        id: 'keys',
        note: 'Weekly now',
        proposer: { name: 'agent', version: '1.0' },
        ops: [
          ...renaming('Weekly'),
          { op: 'replace', path: '/latency-block/config/title', value: 'p95' },
          { op: 'remove', path: '/note-block' },
        ],
      });
      const reviewer = await open('/');
      await reviewer.tabTo(`a[href="/r/${name}"]`);
      await reviewer.press('Enter');
      await reviewer.page.waitForURL(`**/r/${name}`);
      await reviewer.page.locator('html.js').waitFor();
      await reviewer.press('j');
      expect(await focused(reviewer)).toBe('item-1');
      expect(await reviewer.page.getAttribute('.words [aria-current]', 'href')).toBe('#item-1');
      await reviewer.press('j', 'k');
      expect(await focused(reviewer)).toBe('item-1');
      await reviewer.press('v');
      expect(await reviewer.page.locator('#view-stack').isChecked()).toBe(true);
      await reviewer.press('v');
      await reviewer.tabTo('.swipe input');
      await reviewer.press('Shift+ArrowRight');
      expect(
        await reviewer.page.evaluate(
          `getComputedStyle(document.querySelector('.ba.pair')).getPropertyValue('--cut')`,
        ),
      ).toBe('60%');
      await reviewer.press('w');
      await reviewer.page.waitForURL(address => address.search.includes('view=page'));
      await reviewer.page.locator('.pages').waitFor();
      await reviewer.page.locator('html.js').waitFor();
      await reviewer.press('w');
      await reviewer.page.waitForURL(`**/r/${name}`);
      await reviewer.page.locator('html.js').waitFor();
      await reviewer.press('?');
      expect(await reviewer.page.locator('#keys').isVisible()).toBe(true);
      await reviewer.press('Escape', 'c');
      expect(await focused(reviewer)).toBe('subject');
      await reviewer.press('Enter');
      expect(await titleOf('keys')).toBe('Service');
      await reviewer.press('Enter');
      await reviewer.reads('Committed as');
      expect(await titleOf('keys')).toBe('Weekly');
      expect(lastCommit().subject).toBe('Weekly now');
      await reviewer.page.locator('html.js').waitFor();
      await reviewer.tabTo('[data-do=undo]');
      await reviewer.press('Enter');
      await reviewer.page.waitForURL(address => !address.pathname.endsWith(name));
      await reviewer.reads('Renamed the dashboard “Weekly” to “Service”');
      await reviewer.press('c', 'Enter', 'Enter');
      await reviewer.reads('Committed as');
      expect(await titleOf('keys')).toBe('Service');
      expect((await treeOf(server, 'keys')).root.children[0].children).toHaveLength(3);
      expect(reviewer.complaints).toEqual([]);
      expect(reviewer.asked.filter(address => address.endsWith('/json'))).toEqual([]);
      await reviewer.page.close();
    },
    PATIENT_MS,
  );
});

describe('a proposal that is sent back', () => {
  it(
    'has its comment for who waits, and a text with marks and operations for the agent',
    async () => {
      const ops = [{ op: 'replace', path: '/$connections/0/config/rows', value: [] }, ...renaming('Empty')];
      const name = await handOver(server, { id: 'back', ops });
      const waiting = askJson(`${server.url}/api/proposals/${name}?wait=45`);
      const reviewer = await open(`/r/${name}`);
      await reviewer.page.locator('html.js').waitFor();
      await reviewer.press('r');
      expect(await focused(reviewer)).toBe('comment');
      await reviewer.page.keyboard.type('Keep the rows, please');
      await reviewer.tabTo('[data-do=return]');
      await reviewer.press('Enter');
      await reviewer.reads('Sent back');
      expect((await waiting).body).toMatchObject({ state: 'returned', comment: 'Keep the rows, please' });
      const text = await reviewer.page.inputValue('#paste');
      const { baseRevision } = (await askJson(`${server.url}/api/proposals/${name}`)).body;
      for (const part of [
        `The proposal ${name} for dashboard "back" was sent back.`,
        `Base revision: ${baseRevision}`,
        'Keep the rows, please',
        '- /latency-block: After the change this item has no rows.',
        '"path": "/$connections/0/config/rows"',
      ])
        expect(text).toContain(part);
      expect(await reviewer.axeViolations()).toEqual([]);
      expect(await reviewer.page.locator('[data-do=commit]').count()).toBe(0);
      expect(reviewer.complaints).toEqual([]);
      await reviewer.page.close();
    },
    PATIENT_MS,
  );
});

describe('a document that changes while a person reads', () => {
  it(
    'is said at once; a commit is refused, and what still applies is looked at again',
    async () => {
      const ops = [
        ...renaming('Weekly'),
        { op: 'replace', path: '/note/config/source', value: 'x' },
        { op: 'replace', path: '/latency-block/config/title', value: 'p95' },
      ];
      const name = await handOver(server, { id: 'stale', ops, proposer: { name: 'agent', version: '1' } });
      const reviewer = await open(`/r/${name}`);
      await reviewer.reads('Document unchanged');
      await postTo(server, '/api/patch', { id: 'stale', ops: [{ op: 'remove', path: '/note-block' }] });
      await reviewer.reads('The document has changed while you were reading.');
      await reviewer.press('c', 'Enter', 'Enter');
      await reviewer.reads('2 of 3 operations still apply');
      const outcome = await reviewer.page.innerText('#outcome');
      expect(outcome).toMatch(/Removed text “Note of .* from “body”/);
      expect(outcome).toContain('Operation 2: CHANGESET_TARGET_NOT_FOUND');
      expect(await focused(reviewer)).toBe('outcome');
      await reviewer.tabTo('#outcome a');
      expect(await focused(reviewer)).toBe('Review the 2');
      expect(await titleOf('stale')).toBe('Service');
      await reviewer.press('Enter');
      await reviewer.page.waitForURL(address => !address.pathname.endsWith(name));
      await reviewer.reads('Document unchanged');
      const next = new URL(reviewer.page.url()).pathname.split('/').at(-1);
      const base = await server.store.revision('stale');
      await reviewer.press('c', 'Enter', 'Enter');
      await reviewer.reads('Committed as');
      expect(await titleOf('stale')).toBe('Weekly');
      expect(lastCommit().trailers).toEqual([
        `Dash-Base-Revision: ${base}`,
        `Dash-Proposal: ${next}`,
        'Dash-Proposed-By: agent 1',
      ]);
      await reviewer.page.goto(`${server.url}/r/${name}`);
      await reviewer.reads('Superseded');
      expect(reviewer.complaints.filter(text => !text.includes('409'))).toEqual([]);
      await reviewer.page.close();
    },
    PATIENT_MS,
  );

  it(
    'and is deleted is said, too; one that was changed before is said from the start',
    async () => {
      const name = await handOver(server, { id: 'gone', ops: renaming('Weekly') });
      const later = await handOver(server, { id: 'live', ops: renaming('Weekly') });
      const reviewer = await open(`/r/${name}`);
      await reviewer.reads('Document unchanged');
      await server.store.delete('gone');
      await reviewer.reads('The document does not exist any more.');
      await postTo(server, '/api/patch', { id: 'live', ops: renaming('Other') });
      await reviewer.page.goto(`${server.url}/r/${later}`);
      await reviewer.reads('The document has changed since this was proposed');
      await reviewer.page.getByRole('button', { name: 'Try it on the current one' }).click();
      await reviewer.reads('1 of 1 operation still applies');
      await reviewer.page.close();
    },
    PATIENT_MS,
  );
});

describe('a trailer', () => {
  it(
    'is not forged through note, name or pointer',
    async () => {
      const forged = '\n\nDash-Committed-By: root';
      const pointer = `/note-block/metadata/x${forged}`;
      const name = await handOver(server, {
        id: 'forged',
        note: `Fine${forged}`,
        proposer: { name: `agent${forged}`, version: `1${forged}` },
        ops: [
          { op: 'add', path: '/note-block/metadata', value: {} },
          { op: 'add', path: pointer, value: `x${forged}` },
        ],
      });
      const reviewer = await open(`/r/${name}`);
      await reviewer.reads('Document unchanged');
      await reviewer.press('c', 'Enter', 'Enter');
      await reviewer.reads('Committed as');
      const { subject, trailers } = lastCommit();
      expect(subject).toBe('Fine');
      expect(trailers.map(line => line.split(':')[0])).toEqual([
        'Dash-Base-Revision',
        'Dash-Proposal',
        'Dash-Proposed-By',
      ]);
      await reviewer.page.close();
    },
    PATIENT_MS,
  );
});
