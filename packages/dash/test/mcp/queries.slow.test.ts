import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { canonicalText } from '#src/document/canonical.ts';
import { teamPulse } from '../resolve/team-pulse.ts';
import { RawHost } from './host.ts';

const id = 'team-pulse';
const answers = createServer((_, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('[{"n":1},{"n":2}]');
});
let origin: string;
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'dash-mcp-queries-'));
  await writeFile(join(root, `${id}.json`), canonicalText(teamPulse()));
  await new Promise<void>(resolve => void answers.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(answers.address() as AddressInfo).port}`;
  await writeFile(join(root, 'allowed.txt'), `# for the tests\n${origin}\n`);
});
afterAll(async () => {
  answers.close();
  await rm(root, { recursive: true });
});

it.each([
  ['--allow-query', true],
  ['--allow-query-file', true],
  ['no flag', false],
])('dashdoc mcp with %s asks the connection: %s', async (flag, mayAsk) => {
  const words = { '--allow-query': [flag, origin], '--allow-query-file': [flag, join(root, 'allowed.txt')] };
  const host = new RawHost(['--root', root, ...(words[flag as keyof typeof words] ?? [])]);
  try {
    await host.initialize();
    const content = { id: 'live', type: 'table', config: { connectionId: 'api' } };
    const ops = [
      {
        op: 'add',
        path: '/$connections/-',
        value: { id: 'api', type: 'http', config: { url: `${origin}/` } },
      },
      {
        op: 'add',
        path: '/body/children/-',
        value: { id: 'live-block', type: 'block', config: { content } },
      },
    ];
    const args = { id, ops, queries: true, preview: 'none' };
    const answer = (await host.tool('dash_validate_patch', args)).structuredContent;
    const entry = mayAsk
      ? { nodeId: 'live', connectionId: 'api', ok: true, rows: 2, columns: ['n'], first: { n: 1 } }
      : { nodeId: 'live', connectionId: 'api', ok: false, error: { code: 'QUERY_HOST_FORBIDDEN' } };
    expect(answer).toMatchObject({ ok: true, queries: [entry] });
    const manifest = (await host.tool('dash_get_manifest')).structuredContent;
    expect(manifest?.['capabilities']).toHaveProperty('persist', false);
    expect(JSON.stringify(manifest).includes(origin)).toBe(mayAsk);
  } finally {
    await host.hangUp();
  }
  expect((await host.ended).status).toBe(0);
});

it('dashdoc mcp refuses a word that is not an origin, with an example of one', async () => {
  const host = new RawHost(['--root', root, '--allow-query', 'prometheus']);
  expect((await host.ended).status).toBe(2);
  expect(host.stderr).toContain('must be an origin such as http://127.0.0.1:9090');
});
