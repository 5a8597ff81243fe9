import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Browser, eventually } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { golden } from '../changeset/golden-changesets.ts';
import { ask, askJson } from '../http/serving.ts';
import { PageServer } from './page-server.ts';
import { handOver, linkOf, PATIENT_MS, postTo, Reviewer, renaming, treeOf } from './reviewing.ts';

/** A dashboard of one table that asks the source of the tests. */
const queries = (): JsonObject => ({
  manifest: { formatVersion: '1.0.0', id: 'queries', title: 'Queries' },
  connections: [{ id: 'rows', type: 'scripted', config: { does: 'rows' } }],
  root: {
    id: 'page',
    type: 'container',
    children: [
      {
        id: 'body',
        type: 'container',
        children: [
          {
            id: 'table-block',
            type: 'block',
            config: { content: { id: 'table', type: 'table', config: { connectionId: 'rows' } } },
          },
        ],
      },
    ],
  },
});

let server: PageServer;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([PageServer.start([golden(), queries()]), Browser.start()]);
}, PATIENT_MS);
afterAll(async () => {
  await browser.stop();
  await server.stop();
});

describe('a link of a stranger', () => {
  it(
    'does not ask its queries before a person lets them run',
    async () => {
      const query = { q: 'by-link' };
      const asked = (): number => server.source.queries.filter(text => text === JSON.stringify(query)).length;
      const ops = [{ op: 'add', path: '/table/config/query', value: query }];
      const reviewer = await Reviewer.open(browser, server.url + linkOf({ id: 'queries', ops }));
      await reviewer.page.waitForURL(`${server.url}/r/**`);
      await reviewer.reads('1 query of a link, which anybody can write, not run yet.');
      expect(await reviewer.page.innerText('#held code')).toBe('{"q":"by-link"}');
      expect(await reviewer.page.innerText('.words')).toContain('not asked yet');
      await reviewer.page.reload();
      await reviewer.page.locator('#held').waitFor();
      expect(asked()).toBe(0);
      await reviewer.page.getByRole('button', { name: 'Run 1 query' }).click();
      await eventually(
        'the rows of the query',
        async () => (await reviewer.page.locator('#held').count()) === 0,
        PATIENT_MS,
      );
      expect(asked()).toBe(1);
      expect(await reviewer.page.innerText('.side.after')).toContain('eu-central');
      expect(reviewer.complaints).toEqual([]);
      await reviewer.page.close();
    },
    PATIENT_MS,
  );
});

/** POSTs of a foreign page, in every form that a browser lets it send without asking first, and in the form that is asked for. */
async function sendAll([url, ...bodies]: readonly string[]): Promise<string[]> {
  const outcomes: string[] = [];
  for (const body of bodies) {
    const [path] = body.split(' ', 1);
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const mode = type === 'application/json' ? 'cors' : 'no-cors';
      const sent = fetch(`${url}${path}`, {
        method: 'POST',
        mode,
        headers: { 'content-type': type },
        body: body.slice(String(path).length + 1),
      });
      outcomes.push(
        await sent.then(
          answer => answer.type,
          () => 'refused',
        ),
      );
    }
  }
  return outcomes;
}

describe('a page of another port of this machine', () => {
  let foreign: Server;
  afterAll(() => foreign.close());

  it(
    'can neither write, nor hand over, nor decide, nor frame',
    async () => {
      const name = await handOver(server, { id: 'golden', ops: renaming('Foreign') });
      const change = JSON.stringify({ id: 'golden', ops: renaming('Written') });
      foreign = createServer((_request, answer) => {
        answer.setHeader('content-type', 'text/html');
        answer.end(`<!doctype html><title>foreign</title><iframe src="${server.url}/r/${name}"></iframe>
<form method="post" action="${server.url}/api/patch" enctype="text/plain"><input name='{"x":"' value='",${change.slice(1)}'></form>`);
      });
      await new Promise<void>(resolve => foreign.listen(0, '127.0.0.1', resolve));
      const { port } = foreign.address() as AddressInfo;
      const held = (await askJson(`${server.url}/api/proposals`)).body.proposals;
      const bodies = [
        `/api/proposals ${change}`,
        `/api/patch ${change}`,
        `/api/delete ${JSON.stringify({ id: 'golden', expectedRevision: 'x' })}`,
        `/api/proposals/${name}/return {"comment":"x"}`,
        `/api/proposals/${name}/run {}`,
        `/api/proposals/${name}/rebase {}`,
      ];
      for (const host of ['127.0.0.1', 'localhost']) {
        const reviewer = await Reviewer.open(browser, `http://${host}:${port}/`);
        const outcomes = await reviewer.page.evaluate(sendAll, [server.url, ...bodies]);
        expect(outcomes).toHaveLength(18);
        // An opaque answer is one that the page cannot read; whether the server acted is asked below.
        expect(outcomes.filter(outcome => outcome !== 'opaque' && outcome !== 'refused')).toEqual([]);
        await eventually(
          'the refusal of the frame',
          async () => reviewer.complaints.some(text => text.includes('frame-ancestors')),
          PATIENT_MS,
        );
        expect(reviewer.page.frames().filter(frame => frame.url().startsWith(server.url))).toEqual([]);
        await Promise.all([
          reviewer.page.waitForURL(`${server.url}/**`),
          reviewer.page.evaluate('document.forms[0].submit()'),
        ]);
        expect(await reviewer.page.innerText('body')).toContain('SERVE_ORIGIN_FORBIDDEN');
        await reviewer.page.close();
      }
      expect((await askJson(`${server.url}/api/proposals`)).body.proposals).toEqual(held);
      expect((await treeOf(server, 'golden')).manifest.title).toBe('Service');
      // The same bodies do all that from a program of this machine: it was the origin that was refused.
      expect((await postTo(server, '/api/proposals', JSON.parse(change) as JsonObject)).status).toBe(201);
      expect((await postTo(server, `/api/proposals/${name}/return`, { comment: 'x' })).status).toBe(200);
      expect((await postTo(server, '/api/patch', JSON.parse(change) as JsonObject)).status).toBe(200);
      expect((await treeOf(server, 'golden')).manifest.title).toBe('Written');
      const { headers } = await ask(`${server.url}/r/${name}`);
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    },
    PATIENT_MS,
  );
});
