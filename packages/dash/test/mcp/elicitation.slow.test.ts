import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { outcomeOf } from '#src/mcp/review-outcome.ts';
import { ReviewServer } from '#src/mcp/review-server.ts';
import { post, Serving } from '../http/serving.ts';
import { teamPulse } from '../resolve/team-pulse.ts';
import { BINARY, COMPILED } from './host.ts';
import { toolsOn } from './in-process.ts';

const id = 'team-pulse';
const HEADERS = { 'content-type': 'application/json' };
let folder: Awaited<ReturnType<typeof toolsOn>>;
let serving: Serving;
let count = 0;

beforeAll(async () => {
  folder = await toolsOn({ [id]: teamPulse() });
  serving = await Serving.start(['--root', folder.root]);
}, 60_000);

afterAll(async () => {
  await serving.stop();
  await folder.stop();
});

type Action = 'accept' | 'decline' | 'cancel';

/** A host whose user does that when a page is to be opened. */
async function host(
  mode: 'legacy' | 'auto',
  open: ((url: string) => Promise<Action>) | undefined,
): Promise<Client> {
  const capabilities = open === undefined ? {} : { elicitation: { url: {} } };
  const client = new Client({ name: 'editor', version: '7' }, { capabilities, versionNegotiation: { mode } });
  if (open !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => ({
      action: await open((params as { url: string }).url),
    }));
  }
  const words = ['mcp', '--root', folder.root, '--review-url', serving.url, '--preview', 'none'];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BINARY, ...words],
    env: COMPILED,
    stderr: 'ignore',
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'legacy' ? '2025-11-25' : '2026-07-28');
  return client;
}

/** A changeset that no other test made. */
function fresh() {
  count++;
  return [{ op: 'replace', path: '/$manifest/title', value: `Pulse ${count}` }];
}

async function validated(client: Client, ops: readonly object[]) {
  const args = { id, ops: [...ops], review: 'wait' };
  const answer = await client.callTool({ name: 'dash_validate_patch', arguments: args }, { timeout: 90_000 });
  expect(JSON.parse((answer.content[0] as { text: string }).text)).toEqual(answer.structuredContent);
  return answer.structuredContent as Record<string, unknown>;
}

async function commit(url: string, ops: readonly object[]): Promise<string> {
  const proposal = url.split('/').at(-1);
  const body = { id, ops, proposal, result: 'none' };
  return (await post(`${serving.url}/api/patch`, body, HEADERS)).body.revision;
}

describe.each(['legacy', 'auto'] as const)(
  'review: "wait" in a host that opens pages, negotiating %s',
  mode => {
    it('answers with the revision after a commit', async () => {
      const ops = fresh();
      let revision = '';
      const client = await host(mode, async url => {
        expect(url).toMatch(new RegExp(`^${serving.url}/r/[a-z2-7]{10}$`));
        revision = await commit(url, ops);
        return 'accept';
      });
      expect(await validated(client, ops)).toMatchObject({
        ok: true,
        outcome: { state: 'committed', revision },
      });
    });

    it('answers with the revision of a commit that comes while it waits', async () => {
      const ops = fresh();
      let committed: Promise<string> | undefined;
      const client = await host(mode, async url => {
        const name = url.split('/').at(-1);
        committed = fetch(`${serving.url}/api/proposals/${name}?wait=1`).then(() => commit(url, ops));
        return 'accept';
      });
      const answer = await validated(client, ops);
      expect(answer).toMatchObject({ ok: true, outcome: { state: 'committed', revision: await committed } });
    });

    it('answers with the comment after a proposal was sent back, which names the host', async () => {
      const client = await host(mode, async url => {
        const proposal = url.replace('/r/', '/api/proposals/');
        expect(await (await fetch(proposal)).json()).toMatchObject({
          proposer: { name: 'editor', version: '7' },
        });
        await post(`${proposal}/return`, { comment: 'Another title' }, HEADERS);
        return 'accept';
      });
      const answer = await validated(client, fresh());
      expect(answer).toMatchObject({
        ok: true,
        baseRevision: expect.any(String),
        changes: [{ nodeId: '$manifest' }],
        reviewUrl: expect.any(String),
        outcome: { state: 'returned', comment: 'Another title' },
      });
    });

    it.each(['decline', 'cancel'] as const)('answers declined after %s', async action => {
      const client = await host(mode, async () => action);
      expect(await validated(client, fresh())).toMatchObject({ ok: true, outcome: { state: 'declined' } });
    });

    it('without the capability answers with the link', async () => {
      const answer = await validated(await host(mode, undefined), fresh());
      expect(answer).toMatchObject({ ok: true, reviewUrl: expect.stringContaining('/r/') });
      expect(answer).not.toHaveProperty('outcome');
    });

    it('does not ask for an edit that does not work', async () => {
      const client = await host(mode, async () => {
        throw new Error('asked');
      });
      const ops = [{ op: 'remove', path: '/nobody' }];
      expect(await validated(client, ops)).toMatchObject({ ok: false, code: 'CHANGESET_TARGET_NOT_FOUND' });
    });
  },
);

describe('the state that comes back from the host', () => {
  const signal = new AbortController().signal;
  const call = (state: string | undefined) => ({
    ...{ tools: [], opensUrls: true, signal, answer: 'accept' as const },
    ...(state === undefined ? {} : { state }),
  });

  it.each([undefined, '', '../../api/dashboards', 'aaaaaaaaaa', 'x'.repeat(100_000)])(
    '%s tells nothing',
    async state => {
      expect(await outcomeOf(new ReviewServer(serving.url), id, call(state))).toEqual({ state: 'open' });
    },
  );

  it('that names a proposal of another document tells nothing of it', async () => {
    const ops = [{ op: 'add', path: '/$manifest/title', value: 'Other' }];
    const { body } = await post(`${serving.url}/api/proposals`, { id: 'other', ops, create: true }, HEADERS);
    await post(`${serving.url}/api/proposals/${body.proposal}/return`, { comment: 'private' }, HEADERS);
    expect(await outcomeOf(new ReviewServer(serving.url), id, call(body.proposal))).toEqual({
      state: 'open',
    });
  });

  it('of a proposal without a decision in time is open', async () => {
    const waiting = createServer((request, answer) => {
      expect(request.url).toBe('/api/proposals/aaaaaaaaaa?wait=45');
      answer.end(JSON.stringify({ id, state: 'open' }));
    }).listen(0, '127.0.0.1');
    await once(waiting, 'listening');
    onTestFinished(() => {
      waiting.close();
    });
    const { port } = waiting.address() as AddressInfo;
    const server = new ReviewServer(`http://127.0.0.1:${port}`);
    expect(await outcomeOf(server, id, call('aaaaaaaaaa'))).toEqual({ state: 'open' });
  });

  it('without a serve that answers is open', async () => {
    expect(await outcomeOf(new ReviewServer('http://127.0.0.1:9'), id, call('aaaaaaaaaa'))).toEqual({
      state: 'open',
    });
  });
});
