import { METHODS } from '@msg/core';
import type { ApiKeyGrant } from '@msg/server';
import { RawClient } from '@msg/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { post, rpcOf } from '../support/rpc.ts';
import { scrape } from '../support/scrape.ts';

const KEY = 'a-narrow-key-of-a-backend-0001';
const NARROW: readonly ApiKeyGrant[] = [
  { pattern: 'public:shop.a', verbs: ['publish', 'subscribe'] },
  { pattern: 'public:shop.b', verbs: ['publish'] },
];

let service: Embedded;
let rpc: ReturnType<typeof rpcOf>;
let narrow: ReturnType<typeof rpcOf>;
beforeEach(async () => {
  service = await embed({
    apiKeys: [{ name: 'narrow', key: KEY, grants: NARROW, rate: { rate: 3, perMs: 3_600_000 } }],
    channelOptions: [{ pattern: 'public:json.**', payload: 'json' }],
  });
  rpc = rpcOf(service.url, service.msg.tokens.issueManagement().token);
  narrow = rpcOf(service.url, KEY);
  for (const name of ['public:shop.a', 'public:shop.b', 'public:shop.c', 'public:json.a']) {
    await service.msg.channels.openPublic(name);
  }
});
afterEach(stopEmbedded);

const ok = (offset: number) => ({
  offset,
  epoch: expect.stringMatching(/./),
  suppressed: false,
  error: null,
});
const failed = (code: string, message: unknown = expect.any(String)) => ({
  offset: 0,
  epoch: '',
  suppressed: false,
  error: { code, message },
});

describe('PublishMany', () => {
  it('answers what became of each item, in their order, with 200', async () => {
    const items = [
      { name: 'public:shop.a', json: 1 },
      { name: 'public:shop.unknown', json: 2 },
      { name: 'public:shop.a', data: 'MQ==', idempotencyKey: 'k' },
      { name: 'public:shop.a', data: 'MQ==', idempotencyKey: 'k' },
      { name: 'nonsense', json: 3 },
      { name: 'public:json.a', data: 'no json!' },
      null,
      { name: 'public:shop.b', json: 4, volatile: true },
      { name: 'public:shop.b', json: 4, tags: { 'msg-encoding': 'x' } },
    ];
    const { status, body } = await rpc('PublishMany', { items });
    expect([status, body]).toEqual([
      200,
      {
        results: [
          ok(1),
          failed('MSG_CHANNEL_NOT_FOUND', 'channel public:shop.unknown is not known'),
          ok(2),
          { ...ok(2), suppressed: true },
          failed('MSG_CHANNEL_INVALID'),
          failed('MSG_INVALID_ARGUMENT', expect.stringMatching(/must be JSON/)),
          failed('MSG_CHANNEL_INVALID'),
          { ...ok(0), epoch: '' },
          failed('MSG_INVALID_ARGUMENT', expect.stringMatching(/msg-encoding/)),
        ],
      },
    ]);
  });

  it('keeps json of each item byte for byte, and the order of a channel', async () => {
    const client = await RawClient.connected(service.websocketUrl);
    await client.request({ subscribe: { channel: 'public:shop.a' } });
    const texts = ['1.0', '{"b":1,"a":1e2,"a":2}', '"\\u0041\\/"', '[ 1, 2 ]', 'null'];
    const items = texts.map(text => `{"name":"public:shop.a","json":${text}}`).join(' , ');
    const authorization = `Bearer ${service.msg.tokens.issueManagement().token}`;
    for (const parallel of [false, true]) {
      const body = `{ "items": [ ${items} ], "parallel": ${parallel} }`;
      expect((await post(service.url, 'PublishMany', body, { authorization })).status).toBe(200);
      for (const text of texts) {
        expect(Buffer.from((await client.push()).pub?.data.bytes ?? []).toString()).toBe(text);
      }
    }
    client.websocket.terminate();
  });

  it('does not try later items of a channel after a failure where that is asked for', async () => {
    const items = ['b', 'x', 'b', 'x', 'b'].map(id => ({ name: `public:shop.${id}`, json: 1 }));
    for (const more of [{}, { parallel: true }]) {
      const { body } = await rpc('PublishMany', { items, stop_channel_on_error: true, ...more });
      expect(body).toMatchObject({
        results: [
          { error: null },
          failed('MSG_CHANNEL_NOT_FOUND'),
          { error: null },
          failed('MSG_BROKER_NOT_READY', 'skipped after item 1'),
          { error: null },
        ],
      });
    }
  });

  it('decides rights and rate of each item', async () => {
    const items = ['a', 'c', 'b', 'c', 'a', 'b', 'a'].map(id => ({ name: `public:shop.${id}`, json: 1 }));
    const { status, body } = await narrow('PublishMany', { items });
    const denied = failed('MSG_AUTH_DENIED', 'the bearer does not grant publish on public:shop.c');
    const limited = failed('MSG_RATE_LIMITED');
    expect([status, body]).toEqual([
      200,
      { results: [ok(1), denied, ok(1), denied, ok(2), limited, limited] },
    ]);
  });

  it.each([
    ['no items', {}, 400, 'MSG_INVALID_ARGUMENT', 'the number of publications must be from 1 to 1000; got 0'],
    [
      'too many items',
      { items: new Array(1001).fill({ name: 'public:shop.a' }) },
      400,
      'MSG_INVALID_ARGUMENT',
      'the number of publications must be from 1 to 1000; got 1001',
    ],
    ['an item that is no object', { items: [1] }, 400, 'MSG_INVALID_ARGUMENT', 'items[0] must be an object'],
    [
      'data and json',
      { items: [{ json: 1 }, { data: 'MQ==', json: 1 }] },
      400,
      'MSG_INVALID_ARGUMENT',
      'items[1].data and json exclude each other: give one',
    ],
  ])('refuses a request with %s as a whole', async (_title, request, status, code, msg) => {
    const answer = await rpc('PublishMany', request);
    expect([answer.status, answer.code, answer.body['msg']]).toEqual([status, code, msg]);
    expect((await service.msg.positionOf('public:shop.a')).offset).toBe(0);
  });

  it('names unknown members of items, and counts each item as a publish', async () => {
    const items = [{ name: 'public:shop.a', json: { any: 1 }, jsn: 1 }];
    const { headers } = await rpc('PublishMany', { items, stop: true });
    expect(headers.get('msg-ignored-fields')).toBe('stop,items[0].jsn');
    await rpc('PublishMany', { items: new Array(5).fill(items[0]) });
    expect((await scrape(service.url)).value('msg_publishes_total', { channel_visibility: 'public' })).toBe(
      6,
    );
  });
});

describe('Broadcast', () => {
  const names = ['public:shop.a', 'public:shop.unknown', 'public:shop.b', 'public:shop.c'];

  it('publishes the same into each channel, and one that fails stops no other', async () => {
    const clients = await Promise.all(
      ['public:shop.a', 'public:shop.b'].map(async channel => {
        const client = await RawClient.connected(service.websocketUrl);
        await client.request({ subscribe: { channel } });
        return client;
      }),
    );
    const token = service.msg.tokens.issueManagement().token;
    const body = `{"names":${JSON.stringify(names)},"json":{"a":1.50},"tags":{"k":"v"},"idempotency_key":"once"}`;
    const results = async () =>
      (await post(service.url, 'Broadcast', body, { authorization: `Bearer ${token}` })).body['results'];
    const expected = [ok(1), failed('MSG_CHANNEL_NOT_FOUND'), ok(1), ok(1)];
    const named = expected.map((result, index) => ({ name: names[index], ...result }));
    expect(await results()).toEqual(named);
    for (const client of clients) {
      const { pub } = await client.push();
      expect([Buffer.from(pub?.data.bytes ?? []).toString(), pub?.tags]).toEqual([
        '{"a":1.50}',
        new Map([['k', 'v']]),
      ]);
      client.websocket.terminate();
    }
    // The key counts per channel.
    expect(await results()).toEqual(
      named.map(result => (result.error === null ? { ...result, suppressed: true } : result)),
    );
  });

  it('decides rights and rate of each channel', async () => {
    const { status, body } = await narrow('Broadcast', { names, json: 1 });
    expect([status, body['results']]).toMatchObject([
      200,
      [
        { name: 'public:shop.a', error: null },
        { error: { code: 'MSG_AUTH_DENIED' } },
        { name: 'public:shop.b', error: null },
        { error: { code: 'MSG_AUTH_DENIED' } },
      ],
    ]);
    // A request takes a permit for each of its publications, those that its bearer may not send included.
    const again = await narrow('Broadcast', { names: ['public:shop.a'], json: 1 });
    expect(again.body['results']).toMatchObject([{ error: { code: 'MSG_RATE_LIMITED' } }]);
  });

  it.each([
    ['no names', { json: 1 }, /from 1 to 1000; got 0/],
    ['too many names', { names: new Array(1001).fill('public:shop.a'), json: 1 }, /from 1 to 1000; got 1001/],
    ['data and json', { names, data: 'MQ==', json: 1 }, /exclude each other/],
  ])('refuses %s', async (_title, request, msg) => {
    expect(await rpc('Broadcast', request)).toMatchObject({
      status: 400,
      body: { msg: expect.stringMatching(msg) },
    });
  });
});

describe('Position and RemoveHistory', () => {
  it('tell the position, and drop what is kept without changing it', async () => {
    const name = 'public:shop.a';
    const empty = await rpc('Position', { name });
    expect(empty.body).toEqual({ offset: 0, epoch: expect.stringMatching(/./) });
    for (let n = 0; n < 3; n++) await rpc('Publish', { name, json: n });
    const { epoch } = empty.body;
    expect((await rpc('Position', { name })).body).toEqual({ offset: 3, epoch });
    expect(await rpc('RemoveHistory', { name })).toMatchObject({ status: 200, body: {} });
    expect((await rpc('Position', { name })).body).toEqual({ offset: 3, epoch });
    const client = await RawClient.connected(service.websocketUrl);
    const { subscribe } = await client.request({
      subscribe: { channel: name, recover: true, offset: 1, epoch: String(epoch) },
    });
    expect(subscribe).toMatchObject({ recovered: false, offset: 3 });
    expect((await rpc('Publish', { name, json: 4 })).body).toMatchObject({ offset: 4, epoch });
    client.websocket.terminate();
  });

  it('need the verbs subscribe and manage of a narrow bearer', async () => {
    expect([METHODS.Position.access, METHODS.RemoveHistory.access]).toEqual([
      { rule: 'channel', verb: 'subscribe', accessToken: false },
      { rule: 'channel', verb: 'manage', accessToken: false },
    ]);
    expect((await narrow('Position', { name: 'public:shop.a' })).status).toBe(200);
    expect((await narrow('Position', { name: 'public:shop.b' })).code).toBe('MSG_AUTH_DENIED');
    expect((await narrow('RemoveHistory', { name: 'public:shop.a' })).code).toBe('MSG_AUTH_DENIED');
  });

  it.each(['Position', 'RemoveHistory'])(
    '%s knows channels that are open, closed or declared',
    async method => {
      const { url, msg } = await embed({
        channels: { open: [{ pattern: 'public:live.*' }] },
        channelOptions: [{ pattern: 'public:off.**', historySize: 0 }],
      });
      const call = rpcOf(url, msg.tokens.issueManagement().token);
      expect((await call(method, { name: 'public:live.a' })).status).toBe(200);
      expect((await call('GetChannel', { name: 'public:live.a' })).code).toBe('MSG_CHANNEL_NOT_FOUND');
      expect((await call(method, { name: 'public:other.a' })).code).toBe('MSG_CHANNEL_NOT_FOUND');
      expect((await call(method, { name: 'nonsense' })).code).toBe('MSG_CHANNEL_INVALID');
      await call('OpenPublic', { name: 'public:live.b' });
      await call('DeleteChannel', { name: 'public:live.b' });
      expect((await call(method, { name: 'public:live.b' })).code).toBe('MSG_CHANNEL_NOT_FOUND');
      await call('OpenPublic', { name: 'public:off.a' });
      await call('Publish', { name: 'public:off.a', json: 1 });
      const expected = method === 'Position' ? { offset: 0, epoch: '' } : {};
      expect((await call(method, { name: 'public:off.a' })).body).toEqual(expected);
    },
  );
});

describe('an embedder', () => {
  it('publishes several, broadcasts, reads the position and drops the history', async () => {
    const { msg } = service;
    const name = 'public:shop.a';
    const payload = Buffer.from('1');
    const items = [
      { name, payload },
      { name, payload, skipHistory: true },
      { name: 'nonsense', payload },
    ];
    expect(await msg.publishMany(items, { stopChannelOnError: true })).toMatchObject([
      { offset: 1, error: undefined },
      { offset: 0, error: undefined },
      { error: { code: 'MSG_CHANNEL_INVALID' } },
    ]);
    expect(await msg.broadcast([name, 'public:shop.unknown'], payload, { version: 5 })).toMatchObject([
      { name, offset: 2, suppressed: false },
      { name: 'public:shop.unknown', error: { code: 'MSG_CHANNEL_NOT_FOUND' } },
    ]);
    expect(await msg.broadcast([name], payload, { version: 5 })).toMatchObject([
      { offset: 2, suppressed: true },
    ]);
    await msg.channels.removeHistory(name);
    expect(await msg.positionOf(name)).toEqual({ offset: 2, epoch: expect.stringMatching(/./) });
    const unpublished = msg.publishMany([
      { name, payload: { a: 1 } },
      { name, payload: { n: [1n] } as never },
    ]);
    await expect(unpublished).rejects.toThrow(/^items\[1\]\.payload\.n\[0\] /);
    expect((await msg.positionOf(name)).offset).toBe(2);
    await expect(msg.publishMany([])).rejects.toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
    await expect(msg.broadcast([], payload)).rejects.toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
    const version = { version: 1.5 };
    expect(await msg.broadcast([name], payload, version)).toMatchObject([
      { error: { code: 'MSG_INVALID_ARGUMENT' } },
    ]);
  });
});
