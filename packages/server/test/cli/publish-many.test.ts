import { describe, expect, it } from 'vitest';
import { runCli } from '../support/cli-io.ts';
import { errorLine } from '../support/error-lines.ts';

interface Sent {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly parallel: boolean;
  readonly stop_channel_on_error: boolean;
}

/** A service that carries out every item but those of `refused`, until it is asked once too often. */
function service(refused: string[] = [], requests = Number.POSITIVE_INFINITY) {
  const sent: Sent[] = [];
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    if (sent.length === requests) throw new TypeError('fetch failed');
    const request = JSON.parse(String(init?.body)) as Sent; // as the client wrote it
    sent.push(request);
    const error = { code: 'MSG_CHANNEL_CLOSED', message: 'it is closed' };
    const results = request.items.map(({ name, version }) => ({
      offset: 1,
      epoch: 'e',
      suppressed: version === 1,
      error: refused.includes(String(name)) ? error : null,
    }));
    return Response.json({ results });
  };
  const run = (lines: readonly string[], ...flags: string[]) =>
    runCli(['publish-many', ...flags], { fetch, stdin: lines.join('\n') });
  return { sent, run };
}

const line = (n: number, more: object = {}) => JSON.stringify({ name: `public:a.n${n}`, json: n, ...more });

describe('publish-many', () => {
  it('sends what a line says, json byte for byte, and tells what became of it', async () => {
    const { sent, run } = service(['public:a.n3']);
    const lines = [
      '{"name":"public:a.n1","json":{"b":1.0,"b":"\\u0041"},"tags":{"k":"v"},"skipHistory":true}',
      '',
      '{"name":"public:a.n2","data":"aGk=","version":1}\r',
      line(3),
    ];
    const { code, stderr, envelope } = await run(lines, '--parallel', '--stop-channel-on-error');
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ parallel: true, stop_channel_on_error: true });
    expect(sent[0]?.items).toMatchObject([
      { name: 'public:a.n1', tags: { k: 'v' }, skip_history: true },
      { name: 'public:a.n2', version: 1 },
      { name: 'public:a.n3' },
    ]);
    const texts = sent[0]?.items.map(({ data }) => Buffer.from(String(data), 'base64').toString());
    expect(texts).toEqual(['{"b":1.0,"b":"\\u0041"}', 'hi', '3']);
    expect(envelope).toMatchObject({
      type: 'msg.publish.many',
      payload: {
        lines: 3,
        sent_up_to: 4,
        published: 1,
        suppressed: 1,
        failed: [{ line: 4, name: 'public:a.n3', code: 'MSG_CHANNEL_CLOSED', message: 'it is closed' }],
      },
    });
    expect([code, errorLine(stderr)]).toEqual([
      1,
      'error: MSG_CHANNEL_CLOSED: 1 of 3 publications failed; the first in line 4: it is closed',
    ]);
  });

  it('sends 1,000 in a request, fewer when they are long, and one that is too long by itself', async () => {
    const { sent, run } = service();
    const many = Array.from({ length: 2001 }, (_, n) => line(n));
    const long = 'x'.repeat(900_000);
    const lines = [
      ...many,
      ...[1, 2, 3].map(n => line(n, { json: long })),
      line(4, { json: long.repeat(6) }),
      line(5),
    ];
    expect((await run(lines)).code).toBe(0);
    expect(sent.map(({ items }) => items.length)).toEqual([1000, 1000, 2, 1, 1, 1, 1]);
    const names = sent.flatMap(({ items }) => items.map(({ name }) => name));
    expect(names).toEqual(lines.map(text => JSON.parse(text).name));
  });

  it('stops with the first request that fails as a whole, and tells how far it came', async () => {
    const { sent, run } = service([], 2);
    const { code, stderr, envelope } = await run(Array.from({ length: 3500 }, (_, n) => line(n)));
    expect(sent).toHaveLength(2);
    expect(envelope?.payload).toMatchObject({ lines: 3500, sent_up_to: 2000, published: 2000 });
    expect([code, errorLine(stderr)]).toEqual([
      1,
      expect.stringMatching(/^error: MSG_BROKER_NOT_READY: no answer from /),
    ]);
  });

  it.each([
    ['is not JSON', '{"name":', /^error: MSG_INVALID_ARGUMENT: line 2 must be a publication in JSON: /],
    ['is no object', '[1]', /line 2 must be a publication in JSON: the json request could not be decoded/],
    [
      'has an unknown member',
      line(1, { jsn: 1 }),
      /line 2 .*: jsn does not exist; known: name, data, json, /,
    ],
    ['has a member of a wrong type', line(1, { version: -1 }), /line 2 .*: version must be an integer/],
    ['has data and json', line(1, { data: 'x' }), /line 2 .*: data and json exclude each other: give one/],
  ])('refuses a line that %s, and sends nothing', async (_title, text, error) => {
    const { sent, run } = service();
    const { code, stdout, stderr } = await run([line(1), text, line(2)]);
    expect({ code, stdout, sent }).toEqual({ code: 1, stdout: '', sent: [] });
    expect(errorLine(stderr)).toMatch(error);
  });

  it('refuses an input without a line', async () => {
    const { code, stderr } = await service().run([' ', '']);
    expect([code, errorLine(stderr)]).toEqual([
      1,
      'error: MSG_INVALID_ARGUMENT: the input must hold a publication a line',
    ]);
  });
});

describe('broadcast', () => {
  it('tells of channels that failed, and exits with 1', async () => {
    const error = { code: 'MSG_CHANNEL_CLOSED', message: 'it is closed' };
    const results = [
      { name: 'public:a.b', offset: 1, epoch: 'e', suppressed: false, error: null },
      { name: 'public:a.c', offset: 0, epoch: '', suppressed: false, error },
    ];
    const fetch: typeof globalThis.fetch = async () => Response.json({ results });
    const { code, stderr, envelope } = await runCli(['broadcast', 'public:a.b', 'public:a.c', '-d', 'x'], {
      fetch,
    });
    expect(envelope?.payload).toEqual({ results });
    expect([code, errorLine(stderr)]).toEqual([
      1,
      'error: MSG_CHANNEL_CLOSED: 1 of 2 channels failed; the first, public:a.c: it is closed',
    ]);
  });
});
