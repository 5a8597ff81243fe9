import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '#src/document/json.ts';
import { teamPulse } from '../resolve/team-pulse.ts';
import { PageServer } from '../web/page-server.ts';
import { ask, post } from './serving.ts';

const CANARY = 'canary-2d8e';
const ops: Json[] = [
  {
    op: 'add',
    path: '/$connections/-',
    value: {
      id: 'api',
      type: 'http',
      config: { url: 'https://a.example/', headers: { authorization: CANARY } },
    },
  },
];

let server: PageServer;
beforeAll(async () => {
  server = await PageServer.start([teamPulse()]);
});
afterAll(() => server.stop());

describe('a dry run over HTTP', () => {
  it('warns of a credential by its place, and shows no value in its changes', async () => {
    const { body } = await post(`${server.url}/api/validate`, { id: 'team-pulse', ops, result: 'none' });
    expect(body).toMatchObject({
      ok: true,
      warnings: [{ code: 'CREDENTIAL_LITERAL', path: 'connections[1].config.headers.authorization' }],
    });
    expect(JSON.stringify(body)).not.toContain(CANARY);
  });

  it('leaves the member `warnings` out when there is nothing to warn of', async () => {
    const { body } = await post(`${server.url}/api/validate`, { id: 'team-pulse', ops: [], result: 'none' });
    expect(body).not.toHaveProperty('warnings');
  });
});

describe('a review', () => {
  const headers = { 'content-type': 'application/json' };

  it('shows the warning and nowhere the value: page, JSON, what is sent back', async () => {
    const { body } = await post(`${server.url}/api/proposals`, { id: 'team-pulse', ops }, headers);
    expect(body.warnings).toMatchObject([{ code: 'CREDENTIAL_LITERAL' }]);
    expect(JSON.stringify(body.words)).not.toContain(CANARY);
    const address = `${server.url}/r/${body.proposal}`;
    const pages = [await ask(address), await ask(`${address}?$view=page`), await ask(`${address}/json`)];
    await post(`${server.url}/api/proposals/${body.proposal}/return`, { comment: 'no' }, headers);
    pages.push(await ask(address));
    for (const { status, text } of pages) {
      expect(status).toBe(200);
      expect(text).not.toContain(CANARY);
    }
    expect(pages[0]?.text).toContain('1 warning about the dashboard after the change');
    expect(pages[2]?.text).toContain('•••');
    expect(pages[3]?.text).toContain('•••');
  });

  it('of operations that do not apply shows no value either', async () => {
    const broken: Json[] = [...ops, { op: 'remove', path: '/nothing' }];
    const { body } = await post(`${server.url}/api/proposals`, { id: 'team-pulse', ops: broken }, headers);
    expect(JSON.stringify(body.problem)).not.toContain(CANARY);
    const { text } = await ask(`${server.url}/r/${body.proposal}`);
    expect(text).toContain('CHANGESET_TARGET_NOT_FOUND');
    expect(text).not.toContain(CANARY);
  });
});
