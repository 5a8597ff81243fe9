import { eventually } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { ask, askJson } from '../http/serving.ts';
import { everyState, hostileTexts } from './every-state.ts';
import { PageServer } from './page-server.ts';

const PATIENT_MS = 240_000;
const JSON_TYPE = { 'content-type': 'application/json' };

/** A table whose cells a spreadsheet would run, and more rows than a page shows. */
function longTable(): JsonObject {
  const rows = Array.from({ length: 1_234 }, (_, n) => ({
    text: n === 0 ? '=HYPERLINK("x")' : `row ${n}`,
    n: -n,
  }));
  const table = { id: 'rows', type: 'table', config: { connectionId: 'many' } };
  return {
    manifest: { formatVersion: '1.0.0', id: 'long', title: 'Long' },
    connections: [{ id: 'many', type: 'static', config: { rows } }],
    root: {
      id: 'page',
      type: 'container',
      children: [
        {
          id: 'body',
          type: 'container',
          children: [{ id: 'block', type: 'block', config: { content: table } }],
        },
      ],
    },
  };
}

let server: PageServer;
let api: string;

beforeAll(async () => {
  server = await PageServer.start([everyState(), longTable(), hostileTexts()]);
  api = `${server.url}/api/d/every-state`;
}, PATIENT_MS);
afterAll(() => server.stop());

const post = (path: string, body: string, headers: Record<string, string> = JSON_TYPE) =>
  ask(`${api}${path}`, { method: 'POST', headers, body });

describe('a post of a page', () => {
  it.each(['/items', '/data'])(
    '%s takes JSON alone, of at most 1 MiB, with members that are known',
    async path => {
      expect((await post(path, '{}', {})).status).toBe(415);
      expect((await post(path, '{}', { 'content-type': 'text/plain' })).status).toBe(415);
      expect((await post(path, '{}', { 'content-type': 'application/jsonx' })).status).toBe(415);
      expect((await post(path, JSON.stringify({ ids: ['x'.repeat(1024 * 1024)] }))).status).toBe(413);
      for (const body of [
        '',
        '[]',
        '{',
        '{"id": 1}',
        '{"ids": "a"}',
        '{"sizes": []}',
        '{"sizes": {"a": 1}}',
        '{"overrides": 1}',
      ]) {
        expect((await post(path, body)).status, body).toBe(400);
      }
      expect((await post(path, `{"overrides": ${'['.repeat(300)}${']'.repeat(300)}}`)).status).toBe(422);
      expect((await ask(`${api}${path}`)).status).toBe(405);
    },
  );

  it.each([
    ['cross-site', 403],
    ['same-site', 403],
    ['same-origin', 200],
    ['none', 200],
  ])('of a page that is %s to this one is answered with %d', async (site, status) => {
    const headers = { ...JSON_TYPE, 'sec-fetch-site': site };
    expect((await post('/data', '{"ids": []}', headers)).status).toBe(status);
    const patch = await ask(`${server.url}/api/validate`, {
      method: 'POST',
      headers,
      body: '{"id":"long","ops":[]}',
    });
    expect(patch.status).toBe(status);
  });
});

describe('the stream of items', () => {
  it(
    'holds the whole document, and each item when it is finished',
    async () => {
      const answer = post('/items', '{}');
      let isOver = false;
      const over = answer.finally(() => {
        isOver = true;
      });
      const late = { columns: ['region', 'p95'], rows: [{ region: 'late', p95: 1 }] };
      // A request before it may be the one that waits, or may have been ended.
      await eventually(
        'the answer',
        () => {
          server.source.waiting.get('waits')?.(late);
          return isOver;
        },
        PATIENT_MS,
      );
      const { status, headers, text } = await over;
      expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson']);
      const lines = text
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line) as { id: string; state: string; html: string });
      expect(Object.keys(lines[0] ?? {})).toEqual(['id', 'html', 'state', 'css', 'about', 'errors']);
      expect(lines[0]?.id).toBe('page');
      const states = new Map(lines.slice(1).map(({ id, state }) => [id, state]));
      expect(states.get('table-rows')).toBe('ready');
      expect(states.get('table-empty')).toBe('empty');
      expect(states.get('table-breaks')).toBe('error');
      expect(states.get('chart-rows')).toBe('ready');
      expect(lines.find(({ id }) => id === 'table-waits')?.html).toContain('late');
    },
    PATIENT_MS,
  );

  it('holds only the items that were asked for', async () => {
    const { text } = await post('/items', '{"ids": ["table-fails", "metric-rows", "nothing"]}');
    const lines = text
      .trimEnd()
      .split('\n')
      .map(line => (JSON.parse(line) as { id: string }).id);
    expect(lines.sort()).toEqual(['metric-rows', 'table-fails']);
  });
});

describe('the rows of items', () => {
  it('are answered as data, or as the code of what failed', async () => {
    const ids = ['table-rows', 'table-empty', 'table-fails', 'table-other', 'table-secret'];
    const { body } = await askJson(`${api}/data?$time=6h`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ ids }),
    });
    expect(Object.keys(body.items).sort()).toEqual([...ids].sort());
    expect(body.items['table-rows']).toMatchObject({
      columns: ['region', 'p95'],
      rows: { length: 3 },
      age: 0,
      window: { from: expect.any(String) },
    });
    expect(body.items['table-empty']).toMatchObject({ rows: [] });
    expect(body.items['table-fails'].error).toMatchObject({ code: 'QUERY_FAILED', details: { offset: 12 } });
    expect(body.items['table-secret'].error.code).toBe('SECRET_MISSING');
  });

  it('are all in the CSV file, formulas made text', async () => {
    const csv = await ask(`${server.url}/api/d/long/items/rows.csv`);
    expect(csv.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment',
    });
    const lines = csv.text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(1_235);
    expect(lines.slice(0, 3)).toEqual(['n,text', `0,"'=HYPERLINK(""x"")"`, '-1,row 1']);
    const page = await ask(`${server.url}/d/long`);
    expect(page.text).toContain('234 more in the <a href="/api/d/long/items/rows.csv"');
    expect(page.text.match(/<tr>/g)).toHaveLength(1_001);
  });

  it('of a failed item are its code with its status', async () => {
    expect((await ask(`${api}/items/table-fails.csv`)).status).toBe(502);
    expect((await ask(`${api}/items/table-forbidden.csv`)).status).toBe(422);
    expect((await ask(`${api}/items/nothing.csv`)).status).toBe(422);
    expect((await ask(`${api}/items/nothing`)).status).toBe(404);
    expect((await ask(`${server.url}/api/d/nobody/items/rows.csv`)).status).toBe(404);
  });
});

describe('events of a document', () => {
  it(
    'say what it is now, what it becomes, and that it is gone',
    async () => {
      const reading = new AbortController();
      const answer = await fetch(`${server.url}/api/d/long/events`, { signal: reading.signal });
      expect(answer.headers.get('content-type')).toBe('text/event-stream');
      let text = '';
      const done = (async () => {
        for await (const chunk of answer.body ?? []) text += new TextDecoder().decode(chunk);
      })().catch(() => undefined);
      await eventually('the first event', () => text.includes('event: document'), PATIENT_MS);
      const changed = { ...longTable(), manifest: { formatVersion: '1.0.0', id: 'long', title: 'Longer' } };
      await server.write(changed);
      await eventually('the change', () => text.split('event: document').length === 3, PATIENT_MS);
      await server.remove('long');
      await eventually('the end', () => text.includes('event: gone'), PATIENT_MS);
      await server.write(longTable());
      await eventually('the return', () => text.split('event: document').length === 4, PATIENT_MS);
      reading.abort();
      await done;
      expect((await ask(`${server.url}/api/d/nobody/events`)).status).toBe(404);
    },
    PATIENT_MS,
  );

  it(
    'have 200 listeners at most',
    async () => {
      const readings = Array.from({ length: 200 }, () => new AbortController());
      const answers = await Promise.all(readings.map(({ signal }) => fetch(`${api}/events`, { signal })));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect((await ask(`${api}/events`)).status).toBe(503);
      for (const reading of readings) reading.abort();
      await eventually(
        'a free place',
        async () => {
          const last = new AbortController();
          const { status } = await fetch(`${api}/events`, { signal: last.signal });
          last.abort();
          return status === 200;
        },
        PATIENT_MS,
      );
    },
    PATIENT_MS,
  );
});

describe('assets', () => {
  it('never change under the address with the hash of their content', async () => {
    const { text } = await ask(`${server.url}/d/long`);
    const address = /\/static\/page\.[\w-]{10}\.js/.exec(text)?.[0] ?? '';
    const script = await ask(`${server.url}${address}`);
    expect(script).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'public, max-age=31536000, immutable' },
    });
    expect((await ask(`${server.url}/static/page.js`)).headers['cache-control']).toBe('no-store');
    expect((await ask(`${server.url}/static/page.AAAAAAAAAA.js`)).status).toBe(404);
  });
});
