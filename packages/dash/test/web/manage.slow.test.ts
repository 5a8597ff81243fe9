import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalBytes, canonicalText } from '#src/document/canonical.ts';
import type { JsonObject } from '#src/document/json.ts';
import { teamPulse } from '../changeset/team-pulse.ts';
import { ask, askJson } from '../http/serving.ts';
import { git } from '../store/stores.ts';
import { hostileTexts } from './every-state.ts';
import { PageServer } from './page-server.ts';

const PATIENT_MS = 120_000;
const JSON_TYPE = { 'content-type': 'application/json' };

const named = (id: string, title: string): JsonObject => ({
  ...teamPulse(),
  manifest: { formatVersion: '1.0.0', id, title },
});

let kept: PageServer;
let plain: PageServer;
/** Of `pulse`, newest first. */
let revisions: string[];

beforeAll(async () => {
  kept = await PageServer.start(
    [named('pulse', 'Pulse'), named('other', 'Other one'), hostileTexts()],
    'git',
  );
  plain = await PageServer.start([named('pulse', 'Pulse')]);
  for (const title of ['Weekly', 'Monthly']) {
    const ops = [{ op: 'replace', path: '/$manifest/title', value: title }];
    const message = title === 'Monthly' ? 'Because <b>of</b> the quarter' : undefined;
    await postJson(kept, '/api/patch', { id: 'pulse', ops, message });
  }
  revisions = (await kept.store.history('pulse')).map(({ revision }) => revision);
}, PATIENT_MS);
afterAll(async () => {
  await kept.stop();
  await plain.stop();
});

async function postJson(server: PageServer, path: string, body: object) {
  const answer = await askJson(server.url + path, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify(body),
  });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}

const page = async (server: PageServer, path: string): Promise<string> => {
  const { status, text } = await ask(server.url + path);
  expect(status, text.slice(0, 500)).toBe(200);
  return text;
};

/** Cells of the row of a dashboard, without markup. */
const rowOf = (html: string, id: string): string[] => {
  const row = html.split('<tr').find(part => part.includes(`href="/d/${id}"`)) ?? '';
  return [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell = '']) =>
    cell.replace(/<[^>]*>/g, ''),
  );
};

describe('the list', () => {
  it('has title, id, last change, author and open proposals of each dashboard', async () => {
    expect(rowOf(await page(kept, '/'), 'pulse')).toEqual([
      'Monthly',
      'pulse',
      'just now',
      git(kept.root, 'log', '-1', '--format=%an', '--', 'pulse.json'),
      '–',
    ]);
    const ops = [{ op: 'add', path: '/$manifest/description', value: 'x' }];
    const first = await postJson(kept, '/api/proposals', { id: 'other', ops });
    const one = await page(kept, '/');
    expect(rowOf(one, 'other').at(-1)).toBe('1 open proposal');
    expect(one).toContain(`href="/r/${first.proposal}"`);
    await postJson(kept, '/api/proposals', { id: 'other', ops: [...ops, ...ops] });
    const two = await page(kept, '/');
    expect(rowOf(two, 'other').at(-1)).toBe('2 open proposals');
    expect(two).toContain('href="/review"');
    await postJson(kept, '/api/proposals', { id: 'fresh', ops, create: true });
    expect(await page(kept, '/')).toContain('1 proposal of a new dashboard');
    expect(rowOf(await page(plain, '/'), 'pulse')).toEqual(['Pulse', 'pulse', '–']);
  });

  it('is filtered by the address, too', async () => {
    const html = await page(kept, '/?q=MONTH');
    const shown = html
      .split('<tr')
      .filter(part => part.includes('scope="row"') && !part.startsWith(' hidden'));
    expect(shown).toHaveLength(1);
    expect(shown[0]).toContain('/d/pulse');
    expect(html).toContain('value="MONTH"');
    expect(await page(kept, '/?q=%3Cscript%3E')).toMatch(/data-none="dashboards">/);
  });
});

describe('the page of a creation', () => {
  it('offers an empty page and every shipped example, with a changeset that makes it', async () => {
    const html = await page(kept, '/new');
    const data = /<script type="application\/json" id="templates">(.*?)<\/script>/.exec(html)?.[1] ?? '{}';
    const templates = Object.entries(JSON.parse(data) as Record<string, object[]>);
    expect(templates.length).toBeGreaterThan(10);
    expect(html.match(/name="template"/g)).toHaveLength(templates.length + 1);
    for (const [name, ops] of templates) {
      const body = { id: `made-${name}`, ops, create: true, result: 'none' };
      await postJson(kept, '/api/validate', body);
    }
    expect(html).toContain('<noscript>');
    expect(html).toContain('dashdoc create my-dashboard');
  });
});

describe('the history', () => {
  it('tells each commit in words, with its subject, author and trailers', async () => {
    const html = await page(kept, '/d/pulse/history');
    const [newest = '', middle = '', oldest = ''] = html.split('<li class="commit">').slice(1);
    expect(newest).toContain('Renamed the dashboard “Weekly” to “Monthly”');
    expect(newest).toContain('“Because &lt;b&gt;of&lt;/b&gt; the quarter”');
    expect(newest).toContain('current');
    expect(newest).not.toContain('data-act="restore"');
    expect(middle).toContain('Renamed the dashboard “Pulse” to “Weekly”');
    expect(middle).not.toContain('<p class="small soft wrap">');
    expect(middle).toContain(`href="/d/pulse?at=${revisions[1]}"`);
    expect(middle).toContain(`href="/d/pulse/compare?from=${revisions[1]}"`);
    expect(middle).toContain(`data-revision="${revisions[1]}"`);
    expect(oldest).toContain('Created');
    const ops = [{ op: 'add', path: '/$manifest/description', value: 'A' }];
    const body = { id: 'other', ops, proposer: { name: 'agent <x>', version: '2' } };
    const { proposal } = await postJson(kept, '/api/proposals', body);
    await postJson(kept, '/api/patch', { id: 'other', ops, proposal });
    const other = (await page(kept, '/d/other/history')).split('<li class="commit">')[1] ?? '';
    expect(other).toContain(`proposed by <span class="soft">agent &lt;x&gt; 2</span>`);
    expect(other).toContain(`proposal <span class="soft">${proposal}</span>`);
  });

  it(
    'of many commits comes in parts of 50',
    async () => {
      for (let n = 0; n < 55; n++) await kept.store.save('long', canonicalBytes(named('long', `Title ${n}`)));
      const count = (html: string): number => html.split('<li class="commit">').length - 1;
      const first = await page(kept, '/d/long/history');
      expect(count(first)).toBe(50);
      expect(first).toContain('Renamed the dashboard “Title 4” to “Title 5”');
      expect(first).toContain('href="?part=2"');
      const second = await page(kept, '/d/long/history?part=2');
      expect(count(second)).toBe(5);
      expect(second).toContain('Created');
      expect(second).toContain('href="?part=1"');
      expect(second).not.toContain('Older');
      expect(count(await page(kept, '/d/long/history?part=9'))).toBe(0);
      for (const part of ['0', '-1', '1.5', 'x', '99999999'])
        expect((await ask(`${kept.url}/d/long/history?part=${part}`)).status).toBe(400);
    },
    PATIENT_MS,
  );

  it('is replaced on the fs store by the reason why it does not exist', async () => {
    const html = await page(plain, '/d/pulse/history');
    expect(html).toContain('This store keeps no history');
    expect(html).toContain('hash of its bytes');
    expect(html).toContain('data-act="delete"');
  });

  it('shows an edit by hand, and the states of a deleted dashboard', async () => {
    await kept.store.save('edited', canonicalBytes(named('edited', 'One')));
    await writeFile(join(kept.root, 'edited.json'), canonicalText(named('edited', 'By hand')));
    expect(await page(kept, '/d/edited/history')).toContain('edited by hand and not committed yet');
    await kept.store.save('lost', canonicalBytes(named('lost', 'Lost')));
    const { revision } = await kept.store.load('lost');
    await postJson(kept, '/api/delete', { id: 'lost', expectedRevision: revision });
    const html = await page(kept, '/d/lost/history');
    expect(html).toContain('This dashboard was deleted');
    const [deletion = '', creation = ''] = html.split('<li class="commit">').slice(1);
    expect(deletion).toContain('Delete dashboard lost');
    expect(deletion).not.toContain('?at=');
    expect(creation).toContain('Bring back');
    const changes = await askJson(`${kept.url}/api/d/lost/changes?undo=1&from=${revision}`);
    expect(changes.body).toMatchObject({ create: true });
    const body = { id: 'lost', ops: changes.body.undoOps, create: true };
    await postJson(kept, '/api/patch', body);
    expect(JSON.parse(await readFile(join(kept.root, 'lost.json'), 'utf8'))).toEqual(named('lost', 'Lost'));
  });
});

describe('a page at a revision', () => {
  it('says so, keeps to it for its items, and does not listen', async () => {
    const [, weekly, first] = revisions;
    const html = await page(kept, `/d/pulse?at=${first?.slice(0, 12)}&team=core`);
    expect(html).toContain('<h1>Pulse</h1>');
    expect(html).toMatch(/You see revision <span[^>]*>[0-9a-f]{7}<\/span>, not the current one/);
    expect(html).toContain('CORE / last 4 weeks');
    expect(html).not.toContain('id="live"');
    expect(html).toContain(`name="at" value="${first}"`);
    const tree = await askJson(`${kept.url}/api/d/pulse/tree?$at=${weekly}`);
    expect(tree.body.manifest.title).toBe('Weekly');
    const items = await ask(`${kept.url}/api/d/pulse/items?$at=${weekly}`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: '{}',
    });
    expect(JSON.parse(items.text.split('\n')[0] ?? '').about).toContain('<h1>Weekly</h1>');
    expect(await page(kept, `/d/pulse?at=${revisions[0]}`)).toContain('the current one, without');
  });

  it('that does not exist is a coded page', async () => {
    for (const at of ['0'.repeat(40), 'nothing', '', '../x', 'HEAD']) {
      const { status, text } = await ask(`${kept.url}/d/pulse?at=${at}`);
      expect([at, status]).toEqual([at, 404]);
      expect(text).toContain('STORAGE_NOT_FOUND');
      expect(text).toContain('href="/d/pulse/history"');
    }
    const { status, text } = await ask(`${plain.url}/d/pulse?at=abcd`);
    expect([status, text.includes('STORAGE_CAPABILITY_UNSUPPORTED')]).toEqual([422, true]);
  });

  it('is told in the head of the page, with the ways to history and proposals', async () => {
    const html = await page(kept, '/d/pulse');
    expect(html).toMatch(/Committed <time[^>]*>just now<\/time> by /);
    expect(html).toContain('href="/d/pulse/history"');
    const ops = [{ op: 'add', path: '/$manifest/description', value: 'x' }];
    const { proposal } = await postJson(kept, '/api/proposals', { id: 'pulse', ops });
    expect(await page(kept, '/d/pulse')).toContain(`href="/r/${proposal}"`);
  });
});

describe('a comparison', () => {
  it('tells two states in words and draws what differs, before and after', async () => {
    const [monthly = '', weekly = '', first = ''] = revisions;
    const html = await page(kept, `/d/pulse/compare?from=${first}&to=${weekly}`);
    expect(html).toContain('1 changed');
    expect(html).toMatch(/Renamed the dashboard .*<del>Pulse<\/del>.*<ins>Weekly<\/ins>/);
    expect(html).toContain(`href="/d/pulse?at=${first}"`);
    expect(html).toContain(`href="/d/pulse/compare?from=${weekly}&amp;to=${first}"`);
    expect(html).toContain('No item differs');
    const whole = await page(kept, `/d/pulse/compare?from=${first}&$view=page`);
    expect(whole).toContain('Before, the whole page');
    expect(whole).toContain('<span class="badge ok">current</span>');
    const newest = await page(kept, '/d/pulse/compare');
    expect(newest).toContain(weekly.slice(0, 7));
    expect(await page(kept, `/d/pulse/compare?from=${monthly}`)).toContain('Nothing changes');
  });

  it('with a state that does not resolve any more says so, and keeps its words', async () => {
    const good = (await kept.store.save('half', canonicalBytes(named('half', 'Fine')))) ?? '';
    const text = canonicalText(named('half', 'Not fine')).replace('"segmented"', '"no-such-type"');
    await kept.store.save('half', new TextEncoder().encode(text));
    const html = await page(kept, `/d/half/compare?from=${good}`);
    expect(html).toContain('The state after does not resolve');
    expect(html).toContain('SCHEMA_REF_UNRESOLVED');
    expect(html).toContain('Renamed the dashboard');
  });

  it('of what does not exist is a coded page', async () => {
    for (const path of [
      '/d/nothing/compare',
      '/d/pulse/compare?from=nothing',
      `/d/pulse/compare?from=${revisions[1]}&to=${'0'.repeat(40)}`,
      '/d/long/compare?from=',
    ])
      expect((await ask(kept.url + path)).status, path).toBe(404);
    expect((await ask(`${plain.url}/d/pulse/compare`)).status).toBe(422);
  });
});

describe('an error page', () => {
  it('of a dashboard that does not resolve has the place in its outline and the last revision that does', async () => {
    const good = await kept.store.save('broken', canonicalBytes(named('broken', 'Fine')));
    const text = canonicalText(named('broken', 'Not fine')).replace('"segmented"', '"no-such-type"');
    await kept.store.save('broken', new TextEncoder().encode(text));
    const answer = await ask(`${kept.url}/d/broken`);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('SCHEMA_REF_UNRESOLVED');
    expect(answer.text).toMatch(
      /<code>team-pick<\/code> <span class="mute">no-such-type<\/span> <span class="badge bad">here/,
    );
    expect(answer.text.match(/class="badge bad"/g)).toHaveLength(1);
    expect(answer.text).toContain(`href="/d/broken?at=${good}"`);
    expect(answer.text).toContain('href="/d/broken/history"');
    expect(await page(kept, `/d/broken?at=${good}`)).toContain('<h1>Fine</h1>');
  });

  it(
    'tries 20 revisions for one that resolves',
    async () => {
      const good = await kept.store.save('tries', canonicalBytes(named('tries', 'Fine')));
      const breakAgain = async (n: number): Promise<string> => {
        const text = canonicalText(named('tries', `Broken ${n}`)).replace('"segmented"', '"no-such-type"');
        await kept.store.save('tries', new TextEncoder().encode(text));
        return (await ask(`${kept.url}/d/tries`)).text;
      };
      for (let n = 1; n < 20; n++) expect(await breakAgain(n)).toContain(`href="/d/tries?at=${good}"`);
      expect(await breakAgain(20)).not.toContain('the last revision that resolves');
    },
    PATIENT_MS,
  );

  it('of bytes that are not a document links to the last revision that is one', async () => {
    const good = await kept.store.save('bytes', canonicalBytes(named('bytes', 'Fine')));
    await writeFile(join(kept.root, 'bytes.json'), '{"half":');
    const { status, text } = await ask(`${kept.url}/d/bytes`);
    expect(status).toBe(422);
    expect(text).toContain(`href="/d/bytes?at=${good}"`);
  });

  it('of an unknown dashboard names those with a similar id', async () => {
    for (const path of ['/d/pulze', '/d/pulze/history']) {
      const { status, text } = await ask(kept.url + path);
      expect(status).toBe(404);
      expect(text).toContain('<a class="under mono" href="/d/pulse">pulse</a>');
    }
    expect((await ask(`${kept.url}/d/..%2Fx`)).status).toBe(422);
  });
});

it('no text of a document becomes markup on any of these pages', async () => {
  await kept.store.save('hostile', canonicalBytes({ ...hostileTexts(), extra: 1 }), {
    message: '<img src=x onerror=alert(1)>',
  });
  for (const path of [
    '/',
    '/d/hostile/history',
    '/d/%3Cscript%3E',
    '/d/%3Cscript%3E/history',
    '/?q=%22%3E%3Cimg%3E',
  ]) {
    const { text } = await ask(kept.url + path);
    expect(text.match(/<script/g), path).toHaveLength(2);
    expect(text, path).not.toMatch(/<img|onerror=alert\(1\)>/);
  }
});
