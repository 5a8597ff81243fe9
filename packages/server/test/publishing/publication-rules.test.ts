import { RawClient } from '@msg/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { rpcOf } from '../support/rpc.ts';

const ANY = 'private:shop.1.any';
const JSON_ONLY = 'private:shop.1.json';
const NOT_JSON: readonly [string, Uint8Array][] = [
  ['other text', Buffer.from('no json')],
  ['bytes that are not UTF-8', Buffer.of(0xff, 0xfe)],
  ['other text', Buffer.alloc(0)],
];

describe('what may be published', () => {
  let app: Embedded;
  let token: string;
  const rpc = (method: string, request: object) =>
    rpcOf(app.url, app.msg.tokens.issueManagement('operator').token)(method, request);

  beforeEach(async () => {
    app = await embed({ channels: { rules: [{ pattern: JSON_ONLY, payload: 'json' }] } });
    const scopes = [{ pattern: 'private:shop.**', verbs: ['subscribe', 'publish'] as const }];
    await app.msg.channels.createPrivate({ name: ANY });
    token = (await app.msg.channels.createPrivate({ name: JSON_ONLY, subject: 'u', scopes })).access_token;
  });
  afterEach(stopEmbedded);

  test.each(NOT_JSON)('not %s where a channel takes JSON alone', async (shown, data) => {
    const message = `a publication in ${JSON_ONLY} must be JSON (channel option payload); got ${shown}`;
    const error = { code: 'MSG_INVALID_ARGUMENT', message };
    await expect(app.msg.publish(JSON_ONLY, data)).rejects.toMatchObject(error);
    const base64 = Buffer.from(data).toString('base64');
    expect(await rpc('Publish', { name: JSON_ONLY, data: base64 })).toMatchObject({
      status: 400,
      code: 'MSG_INVALID_ARGUMENT',
    });
    const client = await RawClient.open(app.websocketUrl, { encoding: 'protobuf' });
    await client.request({ connect: { token } });
    await client.request({ subscribe: { channel: JSON_ONLY } });
    const { error: refusal } = await client.request({ publish: { channel: JSON_ONLY, data } });
    expect(refusal).toMatchObject({
      code: 107,
      message: `MSG_INVALID_ARGUMENT: ${message}`,
      temporary: false,
    });
    expect((await client.request({ publish: { channel: ANY, data } })).error).toBeNull();
    const json = Buffer.from(' {"n": 1}\n');
    expect((await client.request({ publish: { channel: JSON_ONLY, data: json } })).error).toBeNull();
    expect((await client.push()).pub).toMatchObject({ offset: 1, data: { bytes: new Uint8Array(json) } });
    client.websocket.terminate();
    expect(await app.msg.publish(JSON_ONLY, json)).toMatchObject({ offset: 2 });
    expect(await app.msg.publish(ANY, data)).toMatchObject({ offset: 2 });
  });

  test('not with the tag that tells of base64', async () => {
    const tags = { 'msg-encoding': 'base64' };
    const refusal = 'tags must not hold "msg-encoding": the service sets it on payloads that are not UTF-8';
    await expect(
      app.msg.publish(ANY, Buffer.from('1'), { tags: new Map(Object.entries(tags)) }),
    ).rejects.toMatchObject({ code: 'MSG_INVALID_ARGUMENT', message: refusal });
    expect(await rpc('Publish', { name: ANY, data: 'MQ==', tags })).toMatchObject({
      status: 400,
      code: 'MSG_INVALID_ARGUMENT',
    });
    expect(await app.msg.publish(ANY, Buffer.from('1'))).toMatchObject({ offset: 1 });
  });

  test.each(['msg-message', 'msg-status', 'msg-'])(
    'not with the tag %s, which is the service’s own',
    async tag => {
      const message = `tags must not begin with "msg-", which are the service's own; got "${tag}"`;
      const tags = new Map([[tag, 'complete']]);
      await expect(app.msg.publish(ANY, Buffer.from('1'), { tags })).rejects.toMatchObject({
        code: 'MSG_INVALID_ARGUMENT',
        message,
      });
      const answer = await rpc('Publish', { name: ANY, data: 'MQ==', tags: { [tag]: 'complete' } });
      expect([answer.status, answer.code]).toEqual([400, 'MSG_INVALID_ARGUMENT']);
      // Nothing was published.
      expect(await app.msg.publish(ANY, Buffer.from('1'))).toMatchObject({ offset: 1 });
    },
  );

  test('an option that does not exist is refused', async () => {
    // A program without types.
    const rules = [{ pattern: 'public:**', payload: 'text' as unknown as 'json' }];
    await expect(embed({ channels: { rules } })).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message: 'channel options of public:**: payload must be any or json; got "text"',
    });
  });
});
