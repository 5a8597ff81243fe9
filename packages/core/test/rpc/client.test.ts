import { describe, expect, test } from 'vitest';
import { createRpcClient } from '#src/rpc/client.ts';

interface Call {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

function answering(status: number, body: string) {
  const calls: Call[] = [];
  const client = createRpcClient({
    server: 'http://localhost:8000/',
    token: 'tok',
    fetch: async (url, init) => {
      calls.push({ url, headers: init.headers, body: JSON.parse(init.body) });
      return { status, text: async () => body };
    },
  });
  return { client, calls };
}

describe('the typed client', () => {
  test('posts the complete request to the method with the bearer', async () => {
    const { client, calls } = answering(200, '{"offset":"7","epoch":"e","suppressed":true}');
    const data = new TextEncoder().encode('{"hello":"world"}');
    expect(await client.call('Publish', { name: 'public:a.b', data })).toEqual({
      offset: 7,
      epoch: 'e',
      suppressed: true,
    });
    expect(calls).toEqual([
      {
        url: 'http://localhost:8000/twirp/msg.MsgService/Publish',
        headers: { 'content-type': 'application/json', authorization: 'Bearer tok' },
        body: { name: 'public:a.b', data: 'eyJoZWxsbyI6IndvcmxkIn0=' },
      },
    ]);
  });

  test('data may be any value of JSON, and what JSON does not have is not sent', async () => {
    const { client, calls } = answering(200, '{}');
    for (const data of [{ hello: 'world' }, 'test', null])
      await client.call('Publish', { name: 'public:a.b', data });
    const sent = calls.map(({ body }) => Buffer.from((body as { data: string }).data, 'base64').toString());
    expect(sent).toEqual(['{"hello":"world"}', '"test"', 'null']);
    await expect(
      client.call('PublishOrSink', { name: 'public:a.b', data: { price: 1n } }),
    ).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message: expect.stringMatching(/^data\.price must/),
    });
    for (const request of [{ data: undefined }, { json: undefined }, { json: { list: [() => 1] } }]) {
      const call = client.call('Publish', { name: 'public:a.b', ...(request as { json: unknown }) });
      await expect(call).rejects.toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
    }
    expect(calls).toHaveLength(3);
  });

  test('what a request leaves out, at any depth, is sent as its zero value', async () => {
    const { client, calls } = answering(200, '{}');
    await client.call('CreatePrivate', {
      name: 'private:a.b.1',
      scopes: [{ pattern: 'private:a.**', verbs: ['subscribe'] }],
    });
    expect(calls[0]?.body).toMatchObject({
      subject: '',
      scopes: [{ pattern: 'private:a.**', verbs: ['subscribe'], deny: false }],
    });
  });

  test('json of a publication is sent as the value it is', async () => {
    const { client, calls } = answering(200, '{}');
    await client.call('Publish', { name: 'public:a.b', json: { text: 'hi' }, delta: false, version: 3 });
    expect(calls[0]?.body).toEqual({ name: 'public:a.b', json: { text: 'hi' }, delta: false, version: 3 });
  });

  test('either casing of an answer is read', async () => {
    const { client } = answering(200, '{"channel":{"name":"public:a.b","ttlSeconds":"60","createdAt":"t"}}');
    const { channel } = await client.call('GetChannel', { name: 'public:a.b' });
    expect(channel).toMatchObject({ name: 'public:a.b', ttl_seconds: 60, created_at: 't', state: '' });
  });

  test('an error answer becomes its code', async () => {
    const body = '{"code":"not_found","msg":"nope","meta":{"code":"MSG_CHANNEL_NOT_FOUND"}}';
    const { client } = answering(404, body);
    await expect(client.call('GetChannel', { name: 'x' })).rejects.toMatchObject({
      code: 'MSG_CHANNEL_NOT_FOUND',
      message: 'nope',
    });
  });

  test('a 200 that is not the answer of the method is MSG_INTERNAL', async () => {
    const { client } = answering(200, '<html>');
    await expect(client.call('ListChannels', {})).rejects.toMatchObject({ code: 'MSG_INTERNAL' });
  });

  test('an unreachable server is MSG_BROKER_NOT_READY', async () => {
    const client = createRpcClient({
      server: 'http://localhost:1',
      fetch: async () => {
        throw new TypeError('fetch failed');
      },
    });
    await expect(client.call('ListChannels', {})).rejects.toMatchObject({ code: 'MSG_BROKER_NOT_READY' });
  });
});
