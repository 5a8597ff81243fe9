import {
  EncodeError,
  type Init,
  jsonCodec,
  Payload,
  type Push,
  protobufCodec,
  type Reply,
} from '@msg/protocol';
import { describe, expect, it } from 'vitest';
import { all, text, utf8 } from '../support/bytes.ts';

const reply = (value: Init<Reply>) => text(jsonCodec.encodeReply(value));

describe('ALWAYS members (client protocol 3)', () => {
  it.each<[string, Init<Reply>, string]>([
    [
      'ClientInfo.user and client',
      { id: 1, push: { join: { info: {} } } },
      '{"id":1,"push":{"join":{"info":{"user":"","client":""}}}}',
    ],
    ['PresenceResult.presence', { id: 1, presence: {} }, '{"id":1,"presence":{"presence":{}}}'],
    [
      'PresenceStatsResult.num_clients and num_users',
      { id: 1, presenceStats: {} },
      '{"id":1,"presence_stats":{"num_clients":0,"num_users":0}}',
    ],
    [
      'HistoryResult.publications, epoch and offset',
      { id: 1, history: {} },
      '{"id":1,"history":{"publications":[],"epoch":"","offset":0}}',
    ],
    [
      'Publication.data, even empty',
      { id: 1, history: { publications: [{}] } },
      '{"id":1,"history":{"publications":[{"data":""}],"epoch":"","offset":0}}',
    ],
  ])('%s', (_, value, json) => {
    expect(reply(value)).toBe(json);
  });
});

describe('zero omission', () => {
  it('leaves out zero, empty, false, null and undefined', () => {
    const zero: Init<Reply> = {
      id: 2,
      error: null,
      connect: {
        client: '',
        version: '',
        expires: false,
        ttl: 0,
        data: null,
        subs: new Map(),
        ping: 0,
        pong: false,
        session: undefined,
        dict: null,
      },
    };
    expect(reply(zero)).toBe('{"id":2,"connect":{}}');
    expect(reply({ id: 0 })).toBe('{}');
    expect(reply({ id: 1, rpc: { data: new Uint8Array(0) } })).toBe('{"id":1,"rpc":{}}');
    expect(reply({ id: 1, subscribe: { publications: [], state: [] } })).toBe('{"id":1,"subscribe":{}}');
  });

  it('an empty result is present in both encodings', () => {
    for (const [member, field] of [
      ['unsubscribe', 0x3a],
      ['publish', 0x42],
      ['ping', 0x62],
    ] as const) {
      expect(reply({ id: 5, [member]: {} })).toBe(`{"id":5,"${member}":{}}`);
      expect([...protobufCodec.encodeReply({ id: 5, [member]: {} })]).toEqual([4, 8, 5, field, 0]);
    }
  });

  it('the ping of either encoding carries nothing', () => {
    expect(text(jsonCodec.ping)).toBe('{}');
    expect([...protobufCodec.ping]).toEqual([0]);
    expect(all(protobufCodec.replies(protobufCodec.ping))).toEqual(all(jsonCodec.replies(jsonCodec.ping)));
  });
});

describe('names and order', () => {
  it('members are snake_case, in the order of their numbers', () => {
    expect(
      reply({
        id: 1,
        subscribe: { wasRecovering: true, publishDebounce: 5, id: 3, epoch: 'e', recovered: true },
      }),
    ).toBe(
      '{"id":1,"subscribe":{"epoch":"e","recovered":true,"was_recovering":true,"id":3,"publish_debounce":5}}',
    );
    expect(text(jsonCodec.encodeCommand({ id: 1, subRefresh: { channel: 'c', token: 't' } }))).toBe(
      '{"id":1,"sub_refresh":{"channel":"c","token":"t"}}',
    );
    expect(reply({ connect: { dict: { id: 'd', dataB64: 'AA==' } } })).toBe(
      '{"connect":{"dict":{"id":"d","data_b64":"AA=="}}}',
    );
  });
});

describe('strings', () => {
  it.each([
    ['quotes and backslashes', 'a"b\\c', '"a\\"b\\\\c"'],
    ['short escapes', '\b\t\n\f\r', '"\\b\\t\\n\\f\\r"'],
    ['other control characters', '\u0000\u001f\u007f', '"\\u0000\\u001f\u007f"'],
    ['every length of UTF-8', 'é€😀\u2028', '"é€😀\u2028"'],
    ['lone surrogates', 'a\ud800b\udc00', '"a\ufffdb\ufffd"'],
  ])('%s', (_, value, json) => {
    expect(reply({ error: { message: value } })).toBe(`{"error":{"message":${json}}}`);
  });

  it('of any length survive a round trip', () => {
    for (const size of [0, 5, 12, 13, 100, 5_000, 100_000]) {
      const message = 'aé"\n😀'.repeat(size);
      expect(all(jsonCodec.replies(jsonCodec.encodeReply({ error: { message } })))[0]?.error?.message).toBe(
        message,
      );
      expect(
        all(protobufCodec.replies(protobufCodec.encodeReply({ error: { message } })))[0]?.error?.message,
      ).toBe(message);
    }
  });
});

describe('numbers', () => {
  it.each([1, 9, 10, 99, 100, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 999_999_999_999, Number.MAX_SAFE_INTEGER])(
    '%d',
    offset => {
      expect(reply({ subscribe: { offset } })).toBe(`{"subscribe":{"offset":${offset}}}`);
    },
  );

  it.each<[string, Init<Reply>]>([
    ['an offset above 2^53 − 1', { subscribe: { offset: 2 ** 53 } }],
    ['a negative unsigned number', { subscribe: { offset: -1 } }],
    ['2^32 in 32 bits', { id: 2 ** 32 }],
    ['a fraction', { subscribe: { ttl: 1.5 } }],
    ['NaN', { subscribe: { ttl: Number.NaN } }],
    ['2^31 in signed 32 bits', { subscribe: { type: 2 ** 31 } }],
  ])('%s is refused in both encodings', (_, value) => {
    expect(() => jsonCodec.encodeReply(value)).toThrow(EncodeError);
    expect(() => protobufCodec.encodeReply(value)).toThrow(EncodeError);
    // The encoder is fine afterwards.
    expect(reply({ id: 1 })).toBe('{"id":1}');
    expect([...protobufCodec.encodeReply({ id: 1 })]).toEqual([2, 8, 1]);
  });

  it('negative numbers where the field is signed', () => {
    expect(text(jsonCodec.encodeCommand({ history: { limit: -1 } }))).toBe('{"history":{"limit":-1}}');
  });
});

describe('payloads in replies', () => {
  it('JSON is embedded verbatim, without line breaks between tokens', () => {
    expect(reply({ rpc: { data: utf8('{ "a" : 1.0,\r\n"a":1e400 }') } })).toBe(
      '{"rpc":{"data":{ "a" : 1.0,"a":1e400 }}}',
    );
  });
  it('other text becomes a JSON string', () => {
    expect(reply({ rpc: { data: utf8('boom\n') } })).toBe('{"rpc":{"data":"boom\\n"}}');
  });
  it('other bytes become a JSON string of their base64', () => {
    expect(reply({ rpc: { data: Uint8Array.of(0xff, 0xfe) } })).toBe('{"rpc":{"data":"//4="}}');
    expect(protobufCodec.encodeReply({ rpc: { data: Uint8Array.of(0xff, 0xfe) } })).toHaveLength(7);
  });
  it('other bytes are refused in a command, where they would be published as something else', () => {
    const run = () => jsonCodec.encodeCommand({ publish: { data: Uint8Array.of(0xff, 0xfe) } });
    expect(run).toThrow(expect.objectContaining({ name: 'EncodeError', code: 'payload_not_text' }));
    expect(text(jsonCodec.encodeCommand({ rpc: { data: utf8('1') } }))).toBe('{"rpc":{"data":1}}');
  });
  it('a prepared payload is taken as well', () => {
    expect(reply({ connect: { data: Payload.ofJson(utf8('[1]')) } })).toBe('{"connect":{"data":[1]}}');
  });
});

describe('pushes', () => {
  it.each<[string, Init<Push>, string]>([
    [
      'unsubscribe',
      { channel: 'c', unsubscribe: { code: 2000, reason: 'server unsubscribe' } },
      '{"push":{"channel":"c","unsubscribe":{"code":2000,"reason":"server unsubscribe"}}}',
    ],
    [
      'subscribe',
      { channel: 'c', subscribe: { recoverable: true, positioned: true, epoch: 'e', offset: 3 } },
      '{"push":{"channel":"c","subscribe":{"recoverable":true,"epoch":"e","offset":3,"positioned":true}}}',
    ],
    ['message', { message: { data: utf8('{}') } }, '{"push":{"message":{"data":{}}}}'],
    [
      'disconnect',
      { disconnect: { code: 3503, reason: 'force disconnect' } },
      '{"push":{"disconnect":{"code":3503,"reason":"force disconnect"}}}',
    ],
    ['refresh', { refresh: { expires: true, ttl: 60 } }, '{"push":{"refresh":{"expires":true,"ttl":60}}}'],
  ])('%s (client protocol 8)', (_, push, json) => {
    expect(text(jsonCodec.encodePush(push))).toBe(json);
    const protobuf = all(protobufCodec.replies(protobufCodec.encodePush(push)));
    expect(protobuf[0]?.push).toEqual(all(jsonCodec.replies(utf8(json)))[0]?.push);
  });
});

describe('frames', () => {
  it('JSON joins with newlines, Protobuf end to end', () => {
    const messages = (codec: typeof jsonCodec) => [1, 2, 3].map(id => codec.encodeReply({ id }));
    expect(text(jsonCodec.join(messages(jsonCodec)))).toBe('{"id":1}\n{"id":2}\n{"id":3}');
    expect([...protobufCodec.join(messages(protobufCodec))]).toEqual([2, 8, 1, 2, 8, 2, 2, 8, 3]);
    for (const codec of [jsonCodec, protobufCodec]) {
      expect(codec.join([])).toHaveLength(0);
      expect(codec.join([codec.ping])).toBe(codec.ping);
    }
  });

  it('later messages do not change earlier ones', () => {
    const first = jsonCodec.encodeReply({ id: 1, error: { code: 103, message: 'permission denied' } });
    const before = text(first);
    for (let id = 0; id < 2_000; id++)
      jsonCodec.encodeReply({ id, error: { code: 100, message: 'x'.repeat(id) } });
    expect(text(first)).toBe(before);
  });
});
