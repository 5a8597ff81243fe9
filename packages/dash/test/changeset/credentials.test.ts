import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeTypes } from '#src/catalog/reference.ts';
import { wordsBetween } from '#src/changeset/words.ts';
import type { Json, JsonObject } from '#src/document/json.ts';
import { type Tools, toolsOn } from '../mcp/in-process.ts';
import { catalog, teamPulse } from '../resolve/team-pulse.ts';

const OLD = 'old-canary-7f3a';
const NEW = 'new-canary-9c1d';
const connection = (token: string, url = 'https://metrics.example/'): JsonObject => ({
  id: 'api',
  type: 'http',
  config: { url, headers: { authorization: token, accept: 'application/json' } },
});

function withApi(token: string): JsonObject {
  const document = teamPulse();
  document.connections.push(connection(token));
  return document;
}

let folder: Awaited<ReturnType<typeof toolsOn>>;
let tools: Tools;

beforeAll(async () => {
  folder = await toolsOn({ 'team-pulse': withApi(OLD) });
  tools = folder.tools;
});
afterAll(() => folder.stop());

const replaced = (value: Json): Json[] => [{ op: 'replace', path: '/$connections/1', value }];

describe('a credential in a changeset', () => {
  it('is masked in the changes, before and after, and named by its place in the warnings', async () => {
    const { text, data } = await tools.validate('team-pulse', replaced(connection(NEW)), { preview: 'none' });
    expect(data).toMatchObject({ ok: true, warnings: [{ code: 'CREDENTIAL_LITERAL' }] });
    expect(data.changes[0]).toMatchObject({ nodeId: '$connections', field: 'api' });
    expect(text).not.toMatch(/canary/);
    expect(text).toContain('•••');
    expect(text).toContain('application/json');
  });

  it('is masked in the words of history, of a page and of a commit', () => {
    const types = nodeTypes(catalog);
    const before = withApi(OLD);
    for (const after of [withApi(NEW), teamPulse() as JsonObject]) {
      for (const [from, to] of [
        [before, after],
        [after, before],
      ] as const) {
        const words = wordsBetween(from, to, types);
        expect(words.length).toBeGreaterThan(0);
        expect(JSON.stringify(words)).not.toMatch(/canary/);
        expect(JSON.stringify(words)).toContain('•••');
      }
    }
  });

  it.each([
    ['of a type that does not exist', replaced({ ...connection(NEW), type: 'htp' })],
    ['beside a fault', replaced({ ...connection(NEW), config: { url: 5, headers: { authorization: NEW } } })],
    ['in a url', replaced(connection('', `ftp://ada:${NEW}@host`))],
    ['that is compared', [{ op: 'test', path: '/$connections/1', value: connection(NEW) }]],
    ['as an id', replaced({ ...connection(NEW), id: NEW, type: NEW })],
    [
      'in a title of the wrong type',
      [{ op: 'replace', path: '/scores/config/columns', value: `Bearer ${NEW}` }],
    ],
    ['next to another fault', [...replaced(connection(NEW)), { op: 'remove', path: '/nothing' }]],
    [
      'whose header value is a list',
      replaced({ ...connection(NEW), config: { headers: { authorization: [NEW] } } }),
    ],
  ] as [string, Json[]][])('is masked in the error: %s', async (_, ops) => {
    const { text, data } = await tools.validate('team-pulse', ops);
    expect(data.ok).toBe(false);
    expect(text).not.toMatch(/canary/);
  });

  it('is masked in the error of a creation', async () => {
    const value = [{ ...connection(NEW), config: { url: `ada:${NEW}` } }];
    const ops = [{ op: 'add', path: '/$connections', value }];
    const { text, data } = await tools.validate('made', ops, { create: true });
    expect(data.ok).toBe(false);
    expect(text).not.toMatch(/canary/);
  });
});

it('a title with the word token, and a reference, are shown as they are', async () => {
  const ops = [
    { op: 'replace', path: '/$manifest/title', value: 'Tokens and secrets' },
    ...replaced({
      id: 'api',
      type: 'http',
      config: { url: 'https://a.example/', headers: { a: { $secret: 'API_TOKEN' } } },
    }),
  ];
  const { text } = await tools.validate('team-pulse', ops, { preview: 'none' });
  expect(text).toContain('Tokens and secrets');
  expect(text).toContain('API_TOKEN');
});
