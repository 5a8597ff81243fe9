import { ManualClock } from '@msg/foundation/clock/testing';
import { MemoryRevocationStore, type MsgOptions } from '@msg/server';
import { eventually } from '@msg/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { EventReader } from '../support/event-reader.ts';
import { readAnswer } from '../support/rpc.ts';

const CHANNEL = 'public:shop.news';
const PRIVATE = 'private:shop.order.1';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('GET /sse', () => {
  let clock: ManualClock;
  let app: Embedded;
  const open = (query: string, headers?: Record<string, string>) =>
    EventReader.open(`${app.url}/sse?${query}`, headers);
  const start = async (options: MsgOptions = {}) => {
    await stopEmbedded();
    app = await embed({ clock, revocationStore: new MemoryRevocationStore(clock), ...options });
  };
  const refusal = async (query: string, headers: Record<string, string> = {}) => {
    const { status, code } = await readAnswer(await fetch(`${app.url}/sse?${query}`, { headers }));
    return { status, code };
  };
  const access = async (name = PRIVATE, ttl = 3_600_000) => {
    const created = await app.msg.channels.createPrivate({ name, ttlMs: ttl, subject: 'u-1' });
    return { accessToken: created.access_token, refreshToken: created.refresh_token };
  };

  beforeEach(async () => {
    clock = new ManualClock();
    await start();
    await app.msg.channels.openPublic(CHANNEL);
  });
  afterEach(stopEmbedded);

  describe('delivers', () => {
    test('what is published, as it is: JSON, text, other bytes, JSON with line breaks', async () => {
      const reader = await open(`channel=${CHANNEL}`);
      expect(reader.status).toBe(200);
      expect(reader.headers).toMatchObject({
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache',
        connection: 'keep-alive',
      });
      const published = [
        '{"text":"héllo"}',
        '12345678901234567890',
        'no json',
        '{\r\n  "a": 1\n}',
        '"\u2028"',
      ];
      for (const text of published) await app.msg.publish(CHANNEL, bytes(text));
      await app.msg.publish(CHANNEL, new Uint8Array([0xff, 0x41]));
      await eventually('all of them', () => reader.events.length === 6);
      expect(reader.events.map(({ data }) => data)).toEqual([
        `{"channel":"${CHANNEL}","offset":1,"data":{"text":"héllo"}}`,
        `{"channel":"${CHANNEL}","offset":2,"data":12345678901234567890}`,
        `{"channel":"${CHANNEL}","offset":3,"data":"no json"}`,
        `{"channel":"${CHANNEL}","offset":4,"data":{  "a": 1}}`,
        `{"channel":"${CHANNEL}","offset":5,"data":"\u2028"}`,
        `{"channel":"${CHANNEL}","offset":6,"data":"/0E=","encoding":"base64"}`,
      ]);
      expect(reader.events.map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5', '6']);
      reader.close();
    });

    test('from an offset on: from_offset, offset, Last-Event-ID; without one only what is new', async () => {
      for (let n = 1; n <= 5; n++) await app.msg.publish(CHANNEL, bytes(String(n)));
      const readers = await Promise.all([
        open(`channel=${CHANNEL}`),
        open(`channel=${CHANNEL}&from_offset=0`),
        open(`channel=${CHANNEL}&from_offset=4`),
        open(`channel=${CHANNEL}&offset=5`),
        open(`channel=${CHANNEL}&from_offset=99`),
        open(`channel=${CHANNEL}&from_offset=1`, { 'last-event-id': '3' }),
        open(`channel=${CHANNEL}`, { 'last-event-id': '0' }),
      ]);
      await eventually('all subscribed', async () => (await app.msg.presence(CHANNEL)) === 7);
      await app.msg.publish(CHANNEL, bytes('6'));
      const expected = [[6], [6], [4, 5, 6], [5, 6], [6], [4, 5, 6], [1, 2, 3, 4, 5, 6]];
      await eventually('the last everywhere', () => readers.every(({ data }) => data.at(-1) === 6));
      expect(readers.map(({ data }) => data)).toEqual(expected);
      for (const reader of readers) reader.close();
    });

    test('history and live without gap or repetition while publications pour in', async () => {
      await start({ publicHistorySize: 10_000 });
      await app.msg.channels.openPublic(CHANNEL);
      let published = 0;
      const publish = async (count: number) => {
        for (let n = 0; n < count; n++) await app.msg.publish(CHANNEL, bytes(String(++published)));
      };
      await publish(500);
      const opening = Array.from({ length: 10 }, (_, n) =>
        open(`channel=${CHANNEL}&from_offset=${n * 50 + 1}`),
      );
      await publish(1500);
      const readers = await Promise.all(opening);
      await publish(100);
      await eventually('the end everywhere', () => readers.every(({ data }) => data.at(-1) === 2100));
      for (const [n, { data }] of readers.entries()) {
        const first = n * 50 + 1;
        expect(data).toEqual(Array.from({ length: 2100 - first + 1 }, (_, at) => first + at));
      }
      for (const reader of readers) reader.close();
    });

    test('a history larger than the write buffer, to a reader that pauses', async () => {
      const large = JSON.stringify('x'.repeat(60_000));
      for (let n = 0; n < 99; n++) await app.msg.publish(CHANNEL, bytes(large));
      const reader = await open(`channel=${CHANNEL}&from_offset=1`);
      reader.pause();
      await app.msg.publish(CHANNEL, bytes('"live"'));
      await eventually('it waits', async () => (await app.msg.presence(CHANNEL)) === 1);
      const again = await open(`channel=${CHANNEL}&from_offset=1`);
      await eventually('all of it', () => again.events.length === 100);
      expect(again.data.at(-1)).toBe('live');
      reader.close();
      again.close();
    });

    test('a publication of several MiB, live and again from the history', async () => {
      const reader = await open(`channel=${CHANNEL}`);
      const size = 3_000_000;
      const large = JSON.stringify('x'.repeat(size));
      for (let n = 0; n < 3; n++) {
        await app.msg.publish(CHANNEL, bytes(large));
        await eventually('it is there', () => reader.data.length === n + 1);
      }
      await app.msg.publish(CHANNEL, bytes('"after"'));
      await eventually('what follows', () => reader.data.at(-1) === 'after');
      const again = await open(`channel=${CHANNEL}`, { 'last-event-id': '0' });
      await eventually('all of it', () => again.data.at(-1) === 'after');
      for (const { data } of [reader, again]) {
        expect(data.map(text => String(text).length)).toEqual([size, size, size, 5]);
      }
      reader.close();
      again.close();
    });

    test('without history there are no offsets and nothing is lost', async () => {
      await start({ channelOptions: [{ pattern: 'public:**', historySize: 0 }] });
      await app.msg.channels.openPublic(CHANNEL);
      const reader = await open(`channel=${CHANNEL}&from_offset=3`);
      await app.msg.publish(CHANNEL, bytes('1'));
      await app.msg.publish(CHANNEL, bytes('2'));
      await eventually('both', () => reader.events.length === 2);
      expect(reader.events[0]?.data).toBe(`{"channel":"${CHANNEL}","offset":0,"data":1}`);
      reader.close();
    });

    test('HEAD answers the headers and opens nothing', async () => {
      const response = await fetch(`${app.url}/sse?channel=${CHANNEL}`, { method: 'HEAD' });
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      expect(await app.msg.presence(CHANNEL)).toBe(0);
    });

    test('a reader counts as subscriber until it goes', async () => {
      const reader = await open(`channel=${CHANNEL}`);
      await eventually('counted', async () => (await app.msg.presence(CHANNEL)) === 1);
      reader.close();
      await eventually('gone', async () => (await app.msg.presence(CHANNEL)) === 0);
    });

    test('a comment every 15 seconds', async () => {
      const reader = await open(`channel=${CHANNEL}`);
      await eventually('open', async () => (await app.msg.presence(CHANNEL)) === 1);
      for (let n = 1; n <= 3; n++) {
        await clock.advance(15_000);
        await eventually(`ping ${n}`, () => reader.comments.length === n);
      }
      expect(reader.comments).toEqual(['ping', 'ping', 'ping']);
      reader.close();
    });
  });

  describe('ends', () => {
    test('with an event when the channel is deleted', async () => {
      const reader = await open(`channel=${CHANNEL}`);
      await app.msg.channels.delete(CHANNEL);
      await eventually('the end', () => reader.ended);
      expect(reader.events).toMatchObject([{ event: 'deleted', data: `{"channel":"${CHANNEL}"}` }]);
    });

    test('not when a public channel is closed: who is there stays', async () => {
      const reader = await open(`channel=${CHANNEL}`);
      await clock.advance(31 * 60_000);
      expect((await app.msg.channels.get(CHANNEL)).state).toBe('closed');
      expect(reader.ended).toBe(false);
      reader.close();
    });

    test('25 seconds after the access token is over', async () => {
      const { accessToken } = await access();
      const reader = await open(`channel=${PRIVATE}&token=${accessToken}`);
      await clock.advance(5 * 60_000 + 20_000);
      expect(reader.ended).toBe(false);
      await clock.advance(40_000);
      await eventually('the end', () => reader.ended);
      expect(reader.events).toMatchObject([{ event: 'expired' }]);
    });

    test('when the token is revoked', async () => {
      const { accessToken } = await access();
      const reader = await open(`channel=${PRIVATE}&token=${accessToken}`);
      const { jti } = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
      await app.msg.tokens.revoke(jti);
      await clock.advance(5_000);
      await eventually('the end', () => reader.ended);
      expect(reader.events).toMatchObject([{ event: 'expired' }]);
      expect(await refusal(`channel=${PRIVATE}&token=${accessToken}`)).toEqual({
        status: 403,
        code: 'MSG_AUTH_DENIED',
      });
    });

    test('without an event when the service drains; new readers are told to wait', async () => {
      const reader = await open(`channel=${CHANNEL}`);
      await eventually('open', async () => (await app.msg.presence(CHANNEL)) === 1);
      const stopping = stopEmbedded();
      await eventually('the end', () => reader.ended);
      expect(reader.events).toEqual([]);
      await stopping;
    });

    test('by being cut when a reader takes nothing and more than 1 MiB waits', async () => {
      const reader = await open(`channel=${CHANNEL}`);
      reader.pause();
      const large = bytes(JSON.stringify('x'.repeat(60_000)));
      await eventually('it is cut', async () => {
        for (let n = 0; n < 20; n++) await app.msg.publish(CHANNEL, large);
        return (await app.msg.presence(CHANNEL)) === 0;
      });
      reader.close();
    });

    test('by being cut when a reader of the history takes nothing for 15 seconds', async () => {
      const large = bytes(JSON.stringify('x'.repeat(1_000_000)));
      for (let n = 0; n < 20; n++) await app.msg.publish(CHANNEL, large);
      const slow = await open(`channel=${CHANNEL}&from_offset=1`);
      slow.pause();
      await eventually('it waits', async () => (await app.msg.presence(CHANNEL)) === 1);
      await eventually('it is cut', async () => {
        await clock.advance(15_000);
        return (await app.msg.presence(CHANNEL)) === 0;
      });
      slow.close();
    });
  });

  describe('refuses', () => {
    test('requests that make no sense', async () => {
      const invalid = { status: 400, code: 'MSG_INVALID_ARGUMENT' };
      expect(await refusal('')).toEqual(invalid);
      expect(await refusal('channel=')).toEqual(invalid);
      expect(await refusal('channel=news')).toEqual({ status: 400, code: 'MSG_CHANNEL_INVALID' });
      for (const offset of ['-1', '1.5', 'x', '1e3', '99999999999999999']) {
        expect(await refusal(`channel=${CHANNEL}&from_offset=${offset}`), offset).toEqual(invalid);
        expect(await refusal(`channel=${CHANNEL}`, { 'last-event-id': offset }), offset).toEqual(invalid);
      }
    });

    test('another method', async () => {
      const response = await fetch(`${app.url}/sse?channel=${CHANNEL}`, { method: 'POST' });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, HEAD');
    });

    test('channels that are not open', async () => {
      expect(await refusal('channel=public:shop.unknown')).toEqual({
        status: 404,
        code: 'MSG_CHANNEL_NOT_FOUND',
      });
      await app.msg.channels.openPublic('public:shop.gone');
      await app.msg.channels.delete('public:shop.gone');
      expect(await refusal('channel=public:shop.gone')).toEqual({
        status: 404,
        code: 'MSG_CHANNEL_NOT_FOUND',
      });
      await clock.advance(31 * 60_000);
      expect(await refusal(`channel=${CHANNEL}`)).toEqual({ status: 412, code: 'MSG_CHANNEL_CLOSED' });
    });

    test('private channels without a token that opens them', async () => {
      const { accessToken, refreshToken } = await access();
      const { accessToken: other } = await access('private:shop.order.2');
      const { token: management } = app.msg.tokens.issueManagement();
      const denied = { status: 401, code: 'MSG_AUTH_DENIED' };
      const forbidden = { status: 403, code: 'MSG_AUTH_DENIED' };
      const query = `channel=${PRIVATE}`;
      expect(await refusal(query)).toEqual(denied);
      expect(await refusal('channel=private:shop.order.unknown')).toEqual(denied);
      expect(await refusal(`${query}&token=garbage`)).toEqual(denied);
      expect(await refusal(`${query}&token=${accessToken}x`)).toEqual(denied);
      expect(await refusal(query, { authorization: 'Basic abc' })).toEqual(denied);
      expect(await refusal(`${query}&token=${refreshToken}`)).toEqual(forbidden);
      expect(await refusal(query, { authorization: `Bearer ${management}` })).toEqual(forbidden);
      expect(await refusal(`${query}&token=${other}`)).toEqual(forbidden);
      await clock.advance(5 * 60_000 + 1000);
      expect(await refusal(`${query}&token=${accessToken}`)).toEqual({
        status: 401,
        code: 'MSG_AUTH_EXPIRED',
      });
    });

    test('no reader with a token for the channel, in the header or in the address', async () => {
      const { accessToken } = await access();
      const readers = await Promise.all([
        open(`channel=${PRIVATE}&token=${accessToken}`),
        open(`channel=${PRIVATE}`, { authorization: `Bearer ${accessToken}` }),
      ]);
      await app.msg.publish(PRIVATE, bytes('1'));
      await eventually('both got it', () => readers.every(({ events }) => events.length === 1));
      for (const reader of readers) reader.close();
    });

    test('who reads too often, by the subject of the token', async () => {
      await start({ rateLimits: { subscribe: { rate: 2, perMs: 60_000, burst: 0 } } });
      const { accessToken } = await access();
      const query = `channel=${PRIVATE}&token=${accessToken}`;
      for (const reader of [await open(query), await open(query)]) {
        expect(reader.status).toBe(200);
        reader.close();
      }
      const response = await fetch(`${app.url}/sse?${query}`);
      expect(response.status).toBe(429);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      await response.body?.cancel();
    });

    test('no reader without a subject as too frequent', async () => {
      await start({ rateLimits: { subscribe: { rate: 1, perMs: 60_000, burst: 0 } } });
      for (const name of ['private:shop.order.2', 'private:shop.order.3']) {
        const { access_token: token } = await app.msg.channels.createPrivate({ name });
        const reader = await open(`channel=${name}&token=${token}`);
        expect(reader.status).toBe(200);
        reader.close();
      }
    });

    test('other origins, and lets listed ones read', async () => {
      await start({ allowedOrigins: ['https://app.example'] });
      await app.msg.channels.openPublic(CHANNEL);
      const refused = await open(`channel=${CHANNEL}`, { origin: 'https://evil.example' });
      expect(refused.status).toBe(403);
      const reader = await open(`channel=${CHANNEL}`, { origin: 'https://app.example' });
      expect(reader.headers['access-control-allow-origin']).toBe('https://app.example');
      reader.close();
    });
  });

  test('a thousand readers that go at once leave nothing behind', async () => {
    (await open(`channel=${CHANNEL}`)).close();
    await clock.advance(60_000);
    const before = clock.pending;
    for (let round = 0; round < 10; round++) {
      const readers = await Promise.all(
        Array.from({ length: 100 }, () => open(`channel=${CHANNEL}&from_offset=1`)),
      );
      for (const reader of readers) reader.close();
    }
    await eventually('nobody left', async () => (await app.msg.presence(CHANNEL)) === 0);
    await clock.advance(60_000);
    expect(clock.pending).toBeLessThanOrEqual(before);
  });
});
