import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { PROPOSAL_LIMITS } from '#src/proposals/proposal-list.ts';
import { golden } from '../changeset/golden-changesets.ts';
import { ask, askJson, Serving } from '../http/serving.ts';
import { git, storeAt } from '../store/stores.ts';
import { PageServer } from './page-server.ts';
import { handOver, PATIENT_MS, postTo, renaming } from './reviewing.ts';
import { scriptedSchemas } from './scripted.ts';

const named = (id: string): JsonObject => ({
  ...golden(),
  manifest: { formatVersion: '1.0.0', id, title: 'Service' },
});

let server: PageServer;
beforeAll(async () => {
  server = await PageServer.start(['late', 'done', 'newer', 'many', 'asks'].map(named), 'git');
}, PATIENT_MS);
afterAll(() => server.stop());

const pageOf = async (name: string): Promise<{ status: number; text: string }> =>
  ask(`${server.url}/r/${name}`);

/** Every decision on a proposal is refused with this status, code and state. */
async function refusesDecisions(
  name: string,
  body: { id: string; ops: unknown },
  status: number,
  code: string,
  state?: string,
): Promise<void> {
  const answers = [
    await postTo(server, '/api/patch', { ...body, proposal: name }),
    await postTo(server, `/api/proposals/${name}/return`, { comment: 'x' }),
    await postTo(server, `/api/proposals/${name}/run`, {}),
  ];
  for (const answer of answers) {
    expect(answer).toMatchObject({ status, body: { code } });
    if (state !== undefined) expect(answer.body.details.state).toBe(state);
  }
}

describe('a proposal that nobody decides', () => {
  it(
    'expires after a day, is told for another, is unknown then, and alive when it is handed over again',
    async () => {
      const body = { id: 'late', ops: renaming('Late') };
      const name = await handOver(server, body);
      server.forward(PROPOSAL_LIMITS.openMs - 60_000);
      expect((await pageOf(name)).text).toContain('data-do="commit"');
      server.forward(60_000);
      const expired = await pageOf(name);
      expect(expired.status).toBe(200);
      expect(expired.text).toContain('<h2 id="decide-name">Expired</h2>');
      expect(expired.text).toContain('Ask the one who proposed it to validate the changeset again');
      expect(expired.text).not.toMatch(/data-do="(?:commit|send-back|run)"/);
      // What it would have done can still be read.
      expect(expired.text).toContain('<del>Service</del>');
      expect((await ask(`${server.url}/review`)).text).not.toContain(`/r/${name}`);
      await refusesDecisions(name, body, 409, 'PROPOSAL_DECIDED', 'expired');

      server.forward(PROPOSAL_LIMITS.decidedMs);
      const unknown = await pageOf(name);
      expect(unknown.status).toBe(404);
      expect(unknown.text).toContain('This proposal is not here');
      expect(unknown.text).toContain('PROPOSAL_NOT_FOUND');
      await refusesDecisions(name, body, 404, 'PROPOSAL_NOT_FOUND');
      expect((await ask(`${server.url}/r/${name}/json`)).status).toBe(404);

      expect(await handOver(server, body)).toBe(name);
      expect((await pageOf(name)).text).toContain('data-do="commit"');
      expect((await postTo(server, '/api/patch', { ...body, proposal: name })).status).toBe(200);
    },
    PATIENT_MS,
  );
});

describe('a proposal that is decided', () => {
  it('says as what it was committed, and takes no second decision', async () => {
    const body = { id: 'done', ops: renaming('Done') };
    const name = await handOver(server, body);
    const { revision } = (await postTo(server, '/api/patch', { ...body, proposal: name, inverse: true }))
      .body;
    const { text } = await pageOf(name);
    expect(text).toContain(`Committed as <span class="mono">${String(revision).slice(0, 7)}</span>`);
    expect(text).toContain('data-do="undo"');
    expect(text).not.toContain('data-do="commit"');
    await refusesDecisions(name, body, 409, 'PROPOSAL_DECIDED', 'committed');
    expect(git(server.root, 'rev-list', '--count', 'HEAD', '--', 'done.json')).toBe('2');
  });

  it('by a newer one of the same proposer leads there', async () => {
    const proposer = { name: 'agent', version: '1' };
    const body = { id: 'newer', ops: renaming('Old') };
    const name = await handOver(server, { ...body, proposer });
    const next = await handOver(server, { id: 'newer', ops: renaming('New'), proposer });
    const { status, text } = await pageOf(name);
    expect(status).toBe(200);
    expect(text).toContain('<h2 id="decide-name">Superseded</h2>');
    expect(text).toContain(`href="/r/${next}"`);
    await refusesDecisions(name, body, 409, 'PROPOSAL_DECIDED', 'superseded');
  });
});

describe('a proposal that does not exist', () => {
  it('is a page that says what to ask for; its name does nothing', async () => {
    for (const name of [
      'unknown',
      '%3Cscript%3Ealert(1)%3C%2Fscript%3E',
      '..%2F..%2Fetc',
      'a'.repeat(5_000),
    ]) {
      const { status, text } = await pageOf(name);
      expect(status, name).toBe(404);
      expect(text).toContain('Ask for the changeset to be validated again');
      expect(text).not.toContain('<script>alert');
      expect(text.length).toBeLessThan(20_000);
    }
    await refusesDecisions('unknown', { id: 'done', ops: renaming('x') }, 404, 'PROPOSAL_NOT_FOUND');
    expect((await postTo(server, '/api/proposals/unknown/rebase', {})).body.code).toBe('PROPOSAL_NOT_FOUND');
  });
});

describe('the queries of a proposal', () => {
  it('are let run by a POST of JSON of this server alone, while the proposal is open', async () => {
    const ops = [{ op: 'replace', path: '/latency/config/query', value: { expr: 'other' } }];
    const name = await handOver(server, { id: 'asks', ops });
    const run = (headers: Record<string, string>, body = '{}', method = 'POST') =>
      ask(`${server.url}/api/proposals/${name}/run`, { method, headers, body });
    const json = { 'content-type': 'application/json' };
    expect((await run({})).status).toBe(415);
    expect((await run({ 'content-type': 'text/plain' })).status).toBe(415);
    expect((await run(json, '[')).status).toBe(400);
    expect((await run(json, '', 'GET')).status).toBe(405);
    for (const site of ['cross-site', 'same-site'])
      expect((await run({ ...json, 'sec-fetch-site': site })).status).toBe(403);
    expect((await run({ ...json, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await postTo(server, `/api/proposals/${name}/return`, { comment: '' })).status).toBe(200);
    expect(JSON.parse((await run(json)).text)).toMatchObject({
      code: 'PROPOSAL_DECIDED',
      details: { state: 'returned' },
    });
  });
});

describe('more than a process holds', () => {
  it(
    'is refused while all are open; a decided one gives way, and no open one is lost',
    async () => {
      const fill = async (at: number) =>
        postTo(server, '/api/proposals', { id: 'many', ops: renaming(`${at}`) });
      const { proposals } = (await askJson(`${server.url}/api/proposals`)).body;
      const open = proposals.filter(({ state }: { state: string }) => state === 'open').length;
      const names: string[] = [];
      for (let at = open; at < PROPOSAL_LIMITS.count; at++) {
        const { status, body } = await fill(at);
        expect(status).toBe(201);
        names.push(body.proposal);
      }
      const refused = await fill(-1);
      expect(refused).toMatchObject({ status: 503, body: { code: 'PROPOSAL_LIMIT' } });
      expect((await postTo(server, `/api/proposals/${names[0]}/return`, { comment: '' })).status).toBe(200);
      expect((await fill(-1)).status).toBe(201);
      expect((await pageOf(names[0] ?? '')).status).toBe(404);
      for (const name of names.slice(1, 4)) expect((await pageOf(name)).status).toBe(200);
      const large = { id: 'many', ops: renaming('x'.repeat(PROPOSAL_LIMITS.bytes)) };
      expect(await postTo(server, '/api/proposals', large)).toMatchObject({
        status: 413,
        body: { code: 'SERVE_TOO_LARGE' },
      });
    },
    PATIENT_MS,
  );
});

describe('a catalogue that has lost a type', () => {
  it(
    'costs the dashboards that use it, and says so on each of their pages; nothing stored is lost',
    async () => {
      const schemas = scriptedSchemas();
      const first = await PageServer.start([], 'git');
      const { root } = first;
      const withGauge = named('lost');
      const gauge = {
        id: 'gauge-block',
        type: 'block',
        config: { title: 'Load', content: { id: 'gauge', type: 'gauge', config: { limit: 3 } } },
      };
      const store = storeAt('git', root);
      const bytes = (document: JsonObject) => new TextEncoder().encode(JSON.stringify(document));
      await store.save('lost', bytes(withGauge));
      await store.save('fine', bytes(named('fine')));
      const flags = ['--store', 'git', '--root', root];
      const complete = await Serving.start([...flags, '--schemas', schemas]);
      const add = { id: 'lost', ops: [{ op: 'add', path: '/side/children/-', value: gauge }] };
      const json = { 'content-type': 'application/json' };
      const post = (url: string, path: string, body: object) =>
        askJson(`${url}${path}`, { method: 'POST', headers: json, body: JSON.stringify(body) });
      expect((await post(complete.url, '/api/patch', add)).status).toBe(200);
      expect((await ask(`${complete.url}/d/lost`)).status).toBe(200);
      expect(await complete.stop()).toBe(0);
      const held = git(root, 'show', 'HEAD:lost.json');

      const serving = await Serving.start(flags);
      try {
        const page = async (path: string) => ask(`${serving.url}${path}`);
        const broken = await page('/d/lost');
        expect(broken.status).toBe(422);
        expect(broken.text).toContain('SCHEMA_REF_UNRESOLVED');
        expect(broken.text).toMatch(
          /<code>gauge<\/code> <span class="mute">gauge<\/span> <span class="badge bad">here/,
        );
        expect(broken.text).toContain('href="/d/lost/history"');
        const [, last = ''] = /href="(\/d\/lost\?at=[0-9a-f]+)"/.exec(broken.text) ?? [];
        expect((await page(last)).status).toBe(200);
        // The others go on: the list, other dashboards, the history in words, both states side by side.
        expect((await page('/')).text).toContain('href="/d/lost"');
        expect((await page('/d/fine')).status).toBe(200);
        expect((await page('/d/lost/history')).text).toContain('Added gauge “Load”');
        const compared = await page('/d/lost/compare');
        expect(compared.status).toBe(200);
        expect(compared.text).toContain('SCHEMA_REF_UNRESOLVED');
        const tree = await askJson(`${serving.url}/api/d/lost/tree`);
        expect(tree).toMatchObject({ status: 422, body: { code: 'SCHEMA_REF_UNRESOLVED' } });
        // A proposal that keeps the lost type says why it cannot be committed; one that takes it out can be.
        const kept = (await post(serving.url, '/api/proposals', { id: 'lost', ops: renaming('Kept') })).body;
        expect(kept.problem.code).toBe('SCHEMA_REF_UNRESOLVED');
        const review = await page(`/r/${kept.proposal}`);
        expect(review.status).toBe(200);
        expect(review.text).toContain('This cannot be committed.');
        expect((await post(serving.url, '/api/patch', { id: 'lost', ops: renaming('Kept') })).status).toBe(
          422,
        );
        expect(git(root, 'show', 'HEAD:lost.json')).toBe(held);
        const out = { id: 'lost', ops: [{ op: 'remove', path: '/gauge-block' }] };
        expect((await post(serving.url, '/api/patch', out)).status).toBe(200);
        expect((await page('/d/lost')).status).toBe(200);
      } finally {
        await serving.stop();
        await first.stop();
        await rm(schemas, { recursive: true });
      }
    },
    PATIENT_MS,
  );
});
