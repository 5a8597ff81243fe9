import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { teamPulse } from '../changeset/team-pulse.ts';
import { ask } from '../http/serving.ts';
import { git } from '../store/stores.ts';
import { PageServer } from './page-server.ts';
import { Visit } from './visit.ts';

const PATIENT_MS = 120_000;
const JSON_TYPE = { 'content-type': 'application/json' };

const named = (id: string, title: string): JsonObject => ({
  ...teamPulse(),
  manifest: { formatVersion: '1.0.0', id, title },
});

let server: PageServer;
let visit: Visit;

beforeAll(async () => {
  server = await PageServer.start(
    [named('pulse', 'Pulse'), named('gone', 'Gone soon'), named('other', 'Other')],
    'git',
  );
  await patch('pulse', 'Weekly');
  visit = await Visit.start(server.url);
}, PATIENT_MS);
afterAll(async () => {
  await visit.stop();
  await server.stop();
});

async function patch(id: string, title: string): Promise<void> {
  const body = JSON.stringify({ id, ops: [{ op: 'replace', path: '/$manifest/title', value: title }] });
  await ask(`${server.url}/api/patch`, { method: 'POST', headers: JSON_TYPE, body });
}

/** The proposal whose review the browser was led to. */
async function proposalOf(): Promise<JsonObject> {
  await visit.until('the review', () => Promise.resolve(/\/r\/[a-z2-7]{10}$/.test(visit.page.url())));
  const name = new URL(visit.page.url()).pathname.slice('/r/'.length);
  return JSON.parse((await ask(`${server.url}/api/proposals/${name}`)).text);
}

/** What was wrong but for answers that are refusals on purpose. */
const complaints = (): string[] => visit.complaints.filter(text => !/status of 4\d\d/.test(text));

describe('each page around the dashboards', () => {
  it.each([
    '/',
    '/?q=nothing',
    '/new',
    '/d/pulse/history',
    '/d/pulse?at=HISTORY',
    '/d/pulse/compare?from=HISTORY',
    '/d/pulse/compare?$view=page',
    '/d/nothing',
    '/d/nothing/history',
  ])(
    '%s is accessible, fits and raises no complaint, light and dark, wide and narrow',
    async path => {
      const [, first] = await server.store.history('pulse');
      for (const look of [{ dark: false }, { dark: true, width: 390 }]) {
        await visit.open(path.replace('HISTORY', first?.revision ?? ''), look);
        expect(await visit.axeViolations()).toEqual([]);
        expect(await visit.sideways()).toBeLessThanOrEqual(0);
        expect(complaints()).toEqual([]);
      }
    },
    PATIENT_MS,
  );
});

describe('the list', () => {
  it(
    'is narrowed while typing, and says when nothing is left',
    async () => {
      await visit.open('/?q=pulse');
      const titles = () => visit.page.locator('tbody tr:visible th').allInnerTexts();
      expect(await titles()).toEqual(['Weekly']);
      await visit.page.getByLabel('Filter dashboards').fill('OTH');
      expect(await titles()).toEqual(['Other']);
      await visit.page.getByLabel('Filter dashboards').fill('zzz');
      expect(await visit.page.getByText('No dashboard matches').isVisible()).toBe(true);
      await visit.page.getByLabel('Filter dashboards').fill('');
      expect((await titles()).length).toBeGreaterThan(2);
    },
    PATIENT_MS,
  );
});

describe('with the keyboard alone', () => {
  it(
    'a dashboard is proposed from the list, with an id for its title',
    async () => {
      await visit.open('/');
      await visit.tabTo('New');
      await visit.page.keyboard.press('Enter');
      await visit.page.waitForURL('**/new');
      await visit.tabTo('Title');
      await visit.page.keyboard.type('Ops: night shift');
      expect(await visit.page.inputValue('#new-id')).toBe('ops-night-shift');
      await visit.tabTo('Empty pageNothing on it yet.');
      for (let presses = 0; presses < 30; presses++) {
        await visit.page.keyboard.press('ArrowDown');
        if ((await visit.page.evaluate('document.activeElement.value')) === 'inventory') break;
      }
      await visit.tabTo('Review the new dashboard');
      await visit.page.keyboard.press('Enter');
      const proposal = await proposalOf();
      expect(proposal).toMatchObject({ id: 'ops-night-shift', create: true, state: 'open', via: 'link' });
      expect(proposal['problem']).toBe(undefined);
      const { id, ops, proposal: name } = proposal;
      const body = JSON.stringify({ id, ops, create: true, proposal: name });
      const { status } = await ask(`${server.url}/api/patch`, { method: 'POST', headers: JSON_TYPE, body });
      expect(status).toBe(200);
      const stored = JSON.parse(await readFile(join(server.root, 'ops-night-shift.json'), 'utf8'));
      expect(stored.manifest).toMatchObject({ id: 'ops-night-shift', title: 'Ops: night shift' });
      expect(JSON.stringify(stored)).toContain('stock-block');
      await visit.open('/new');
      await visit.page.getByLabel('Title').fill('Ops night shift');
      await visit.page.getByRole('button', { name: 'Review the new dashboard' }).click();
      await visit.until('the refusal', async () =>
        (await visit.page.innerText('#notice')).includes('STORAGE_EXISTS'),
      );
      expect(await visit.page.inputValue('#new-title')).toBe('Ops night shift');
    },
    PATIENT_MS,
  );

  it(
    'a revision is proposed to be restored',
    async () => {
      await visit.open('/d/pulse/history');
      const [newest, first] = await server.store.history('pulse');
      await visit.tabTo(`Restore ${first?.revision.slice(0, 7)}`);
      await visit.page.keyboard.press('Enter');
      const proposal = await proposalOf();
      expect(proposal).toMatchObject({
        id: 'pulse',
        baseRevision: newest?.revision,
        note: `Restore revision ${first?.revision.slice(0, 7)}`,
        words: [{ text: 'Renamed the dashboard “Weekly” to “Pulse”' }],
      });
      expect(git(server.root, 'rev-parse', 'HEAD')).not.toBe('');
      expect((await server.store.history('pulse')).length).toBe(2);
    },
    PATIENT_MS,
  );

  it(
    'a dashboard is deleted once its id is typed, and brought back',
    async () => {
      await visit.open('/d/gone/history');
      await visit.tabTo('Delete…');
      await visit.page.keyboard.press('Enter');
      expect(await visit.page.evaluate('document.activeElement.id')).toBe('delete-id');
      expect(await visit.axeViolations()).toEqual([]);
      await visit.page.keyboard.type('Gone soon');
      await visit.page.keyboard.press('Enter');
      const button = visit.page.getByRole('button', { name: 'Delete dashboard' });
      expect(await button.isDisabled()).toBe(true);
      expect(await server.store.exists('gone')).toBe(true);
      await visit.page.keyboard.press('Escape');
      expect(await visit.page.locator('#delete').isVisible()).toBe(false);
      await patch('gone', 'Changed meanwhile');
      await visit.page.keyboard.press('Enter');
      await visit.page.keyboard.type('gone');
      await visit.page.keyboard.press('Enter');
      await visit.until('the refusal', async () =>
        (await visit.page.innerText('#delete')).includes('CHANGESET_REVISION_CONFLICT'),
      );
      expect(await server.store.exists('gone')).toBe(true);
      await visit.page.reload();
      await visit.tabTo('Delete…');
      await visit.page.keyboard.press('Enter');
      await visit.page.keyboard.type('gone');
      await visit.page.keyboard.press('Enter');
      await visit.until('the list', () => Promise.resolve(new URL(visit.page.url()).pathname === '/'));
      expect(await server.store.exists('gone')).toBe(false);
      await visit.open('/d/gone/history');
      const [, newest] = await server.store.history('gone');
      await visit.tabTo(`Bring back ${newest?.revision.slice(0, 7)}`);
      await visit.page.keyboard.press('Enter');
      const proposal = await proposalOf();
      expect(proposal).toMatchObject({ id: 'gone', create: true });
      expect(proposal['problem']).toBe(undefined);
    },
    PATIENT_MS,
  );
});

describe('a page that is open', () => {
  it(
    'follows a pull of the repository, and its head with it',
    async () => {
      await visit.open('/d/other');
      await visit.until(
        'the live connection',
        async () => (await visit.page.textContent('#live')) === 'Live',
      );
      git(server.root, 'config', 'receive.denyCurrentBranch', 'updateInstead');
      const clone = `${server.root}-clone`;
      git(server.root, 'clone', '-q', server.root, clone);
      const text = await readFile(join(clone, 'other.json'), 'utf8');
      await writeFile(join(clone, 'other.json'), text.replace('"Other"', '"From elsewhere"'));
      git(clone, 'commit', '-qam', 'Elsewhere', '--author=Mara Lindqvist <mara@x>');
      git(server.root, 'pull', '-q', clone, git(clone, 'branch', '--show-current'));
      await visit.until(
        'the other title',
        async () => (await visit.page.innerText('h1')) === 'From elsewhere',
      );
      await visit.until('its author', async () =>
        (await visit.page.innerText('#about')).includes('by Mara Lindqvist'),
      );
      expect(complaints()).toEqual([]);
      await rm(clone, { recursive: true, force: true });
    },
    PATIENT_MS,
  );
});
