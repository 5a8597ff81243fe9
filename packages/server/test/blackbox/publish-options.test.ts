import { eventually, RawClient } from '@msg/testkit';
import { describe, expect, it } from 'vitest';
import { serverOfSuite } from '../support/configured-server.ts';
import { post } from '../support/rpc.ts';
import { scrape } from '../support/scrape.ts';

const CONFIG = `
channels:
  rules:
    - { pattern: 'public:cursors.**', volatile: true }
    - { pattern: 'public:delta.**', delta: true }
    - { pattern: 'public:strict.**', payload: json }
  open:
    - { pattern: 'public:**' }
`;

const suite = serverOfSuite(CONFIG);

/** Calls with a body as it is written. */
const call = (method: string, body: string) =>
  post(suite.server.url, method, body, { authorization: `Bearer ${suite.server.token}` });

async function subscriber(channel: string): Promise<RawClient> {
  const client = await RawClient.connected(`${suite.server.url.replace('http', 'ws')}/connection/websocket`);
  await suite.rpc('OpenPublic', { name: channel });
  await client.request({ subscribe: { channel } });
  return client;
}

async function next(client: RawClient): Promise<[offset: number, text: string]> {
  const { pub } = await client.push();
  return [pub?.offset ?? -1, Buffer.from(pub?.data.bytes ?? []).toString()];
}

describe('json of a publication', () => {
  const texts = [
    '1.0',
    '-0',
    '1E+2',
    '12345678901234567890.10',
    '{"b":1,"a":2,"10":3,"9":4}',
    '{"a":1,"a":2.50}',
    '"\\u0041\\/\\ud83d\\ude00é \\"x\\""',
    '[ 1,\t{ "a" : null } ]',
    '"test"',
    'null',
    'true',
  ];

  it('reaches the subscriber byte for byte, by Publish and by PublishOrSink', async () => {
    const client = await subscriber('public:bytes.a');
    const sink = '"sink":"none","recipient":null,"message":{}';
    for (const text of texts) {
      const one = await call('Publish', `{"name":"public:bytes.a","json":${text}}`);
      expect([one.status, one.body]).toMatchObject([200, { suppressed: false }]);
      expect((await next(client))[1]).toBe(text);
      const other = await call('PublishOrSink', `{${sink},"json": ${text} ,"name":"public:bytes.a"}`);
      expect([other.status, other.body]).toMatchObject([200, { outcome: 'published', suppressed: false }]);
      expect((await next(client))[1]).toBe(text);
    }
    client.websocket.terminate();
  });

  it('is JSON for a channel that takes nothing else', async () => {
    expect((await call('Publish', '{"name":"public:strict.a","json":1.0}')).status).toBe(200);
    expect((await call('Publish', '{"name":"public:strict.a","data":"test!"}')).status).toBe(400);
  });

  it.each([
    [
      'beside data',
      '{"name":"public:bytes.a","data":"eA==","json":1}',
      'data and json exclude each other: give one',
    ],
    [
      'beside empty data',
      '{"name":"public:bytes.a","data":"","json":1}',
      'data and json exclude each other: give one',
    ],
    ['that is broken', '{"name":"public:bytes.a","json":{"a":}}', 'the json request could not be decoded'],
    [
      'that is too deep',
      `{"name":"public:bytes.a","json":${'['.repeat(64)}${']'.repeat(64)}}`,
      /deeper than 64/,
    ],
    [
      'of bytes that are not UTF-8',
      '{"name":"public:bytes.a","json":"\xff"}',
      'the json request is not UTF-8',
    ],
  ])('%s is malformed', async (_title, body, msg) => {
    const response = await fetch(`${suite.server.url}/twirp/msg.MsgService/Publish`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${suite.server.token}` },
      body: Buffer.from(body, 'latin1'),
    });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: 'malformed', msg: typeof msg === 'string' ? msg : expect.stringMatching(msg) },
    ]);
  });

  it('that is null beside data is absent', async () => {
    const client = await subscriber('public:bytes.b');
    await call('Publish', '{"name":"public:bytes.b","data":"aGk=","json":null}');
    expect((await next(client))[1]).toBe('"hi"');
    client.websocket.terminate();
  });
});

describe('a publication', () => {
  it('with skip_history or volatile is for live subscribers alone', async () => {
    const client = await subscriber('public:live.a');
    const answers = [
      await suite.rpc('Publish', { name: 'public:live.a', json: 1 }),
      await suite.rpc('Publish', { name: 'public:live.a', json: 2, skip_history: true }),
      await suite.rpc('Publish', { name: 'public:live.a', json: 3, volatile: true }),
      await suite.rpc('Publish', { name: 'public:live.a', json: 4 }),
    ];
    const { epoch } = answers[0]?.body ?? {};
    expect(answers.map(({ body }) => body)).toEqual([
      { offset: 1, epoch, suppressed: false },
      { offset: 0, epoch: '', suppressed: false },
      { offset: 0, epoch: '', suppressed: false },
      { offset: 2, epoch, suppressed: false },
    ]);
    const got = [await next(client), await next(client), await next(client), await next(client)];
    expect(got.map(([offset]) => offset)).toEqual([1, 0, 0, 2]);
    const { history } = await client.request({ history: { channel: 'public:live.a', limit: -1 } });
    expect(history?.publications.map(({ data }) => Buffer.from(data.bytes).toString())).toEqual(['1', '4']);
    client.websocket.terminate();
  });

  it('whose version is not newer, or whose key was seen, is suppressed', async () => {
    const name = 'public:live.b';
    const publish = async (more: object) => {
      const { offset, suppressed } = (await suite.rpc('Publish', { name, json: 1, ...more })).body;
      return [offset, suppressed];
    };
    expect(await publish({ version: 7 })).toEqual([1, false]);
    expect(await publish({ version: 7 })).toEqual([1, true]);
    expect(await publish({ version: '6', versionEpoch: '' })).toEqual([1, true]);
    expect(await publish({ version: 6, version_epoch: 'b' })).toEqual([2, false]);
    expect(await publish({ idempotency_key: 'k' })).toEqual([3, false]);
    expect(await publish({ idempotency_key: 'k' })).toEqual([3, true]);
    expect(await publish({ version: 8, volatile: true })).toEqual([0, false]);
    expect(await publish({ version: 8 })).toEqual([3, true]);
    expect((await suite.rpc('Publish', { name, json: 1, version: -1 })).body).toMatchObject({
      code: 'malformed',
    });
    expect((await suite.rpc('Publish', { name, json: 1, version: 1.5 })).body).toMatchObject({
      code: 'malformed',
    });
  });

  it('with delta false comes in full where patches are permitted', async () => {
    const name = 'public:delta.a';
    const client = await subscriber('public:delta.b');
    await suite.rpc('OpenPublic', { name });
    await client.request({ subscribe: { channel: name, delta: 'fossil' } });
    const patched: boolean[] = [];
    for (const delta of [undefined, undefined, false, true]) {
      await suite.rpc('Publish', { name, json: { note: 'a steady payload that repeats itself' }, delta });
      patched.push((await client.push()).pub?.delta ?? false);
    }
    expect(patched).toEqual([false, true, false, true]);
    client.websocket.terminate();
  });

  it('with volatile does not push a slow reader out, and is counted', async () => {
    const slow = await subscriber('public:cursors.room');
    slow.websocket.pause();
    const json = 'x'.repeat(60_000);
    const dropped = async () =>
      (await scrape(suite.server.url)).value('msg_publications_dropped_total', { reason: 'volatile' });
    await eventually('some are dropped', async () => {
      const calls = Array.from({ length: 20 }, () =>
        suite.rpc('Publish', { name: 'public:cursors.room', json }),
      );
      for (const { body } of await Promise.all(calls)) expect(body).toMatchObject({ offset: 0, epoch: '' });
      return (await dropped()) > 40;
    });
    slow.websocket.resume();
    // It is still there, and a client's own publish is volatile in such a channel too.
    const history = await slow.request({ history: { channel: 'public:cursors.room', limit: 0 } });
    expect(history.error).toMatchObject({ code: 108 });
    slow.websocket.terminate();
  });
});
