import {
  type Command,
  type CommandReader,
  DecodeError,
  jsonCodec,
  Payload,
  PushTarget,
  protobufCodec,
} from '@msg/protocol';
import { describe, expect, it } from 'vitest';

const utf8 = new TextEncoder();
const text = new TextDecoder();

function all(reader: CommandReader): Command[] {
  const out: Command[] = [];
  for (let c = reader.next(); c !== null; c = reader.next()) out.push(c);
  return out;
}

describe('json', () => {
  it('reads the first frame of the stock client', () => {
    const frame = utf8.encode(
      '{"connect":{"token":"t","name":"js","data":{ "a": [1, 1e400]}},"id":1}\n{"subscribe":{"channel":"c","flag":1},"id":2}\n',
    );
    const [connect, subscribe, ...rest] = all(jsonCodec.commands(frame));
    expect(rest).toEqual([]);
    expect(connect).toMatchObject({
      id: 1,
      kind: 'connect',
      request: { token: 't', name: 'js', subs: new Map() },
    });
    expect(connect?.kind === 'connect' && text.decode(connect.request.data!)).toBe('{ "a": [1, 1e400]}');
    expect(subscribe).toMatchObject({
      id: 2,
      kind: 'subscribe',
      request: { channel: 'c', flag: 1, tf: null },
    });
  });
  it('treats an empty object as a pong', () => {
    expect(all(jsonCodec.commands(utf8.encode('{}')))).toEqual([{ id: 0, kind: 'none', request: null }]);
  });
  it('refuses a blank line in the middle after the earlier commands were read', () => {
    const reader = jsonCodec.commands(utf8.encode('{}\n\n{}'));
    expect(reader.next()).not.toBeNull();
    expect(() => reader.next()).toThrow(DecodeError);
  });
  it('writes pushes', () => {
    const publication = { data: new Payload(utf8.encode('{"n":1}')), offset: 5 };
    const name = PushTarget.byName('c');
    const encode = (form: 'plain' | 'delta-full' | 'delta-patch', patch?: Uint8Array) =>
      text.decode(jsonCodec.encodePublication(name, publication, form, patch)!);
    expect(encode('plain')).toBe('{"push":{"channel":"c","pub":{"data":{"n":1},"offset":5}}}');
    expect(encode('delta-full')).toBe('{"push":{"channel":"c","pub":{"data":"{\\"n\\":1}","offset":5}}}');
    expect(encode('delta-patch', utf8.encode('h\n6:'))).toBe(
      '{"push":{"channel":"c","pub":{"data":"h\\n6:","offset":5,"delta":true}}}',
    );
    expect(text.decode(jsonCodec.encodeJoin(PushTarget.byId(7), { user: '', client: 'x' }))).toBe(
      '{"push":{"id":7,"join":{"info":{"user":"","client":"x"}}}}',
    );
    expect(text.decode(jsonCodec.encodeReply({ id: 5, publish: {} }))).toBe('{"id":5,"publish":{}}');
  });
});

describe('protobuf', () => {
  it('reads the documented connect command', () => {
    const frame = Uint8Array.from([0x08, 0x08, 0x01, 0x22, 0x04, 0x22, 0x02, 0x6a, 0x73, 0x00]);
    expect(all(protobufCodec.commands(frame))).toMatchObject([
      { id: 1, kind: 'connect', request: { name: 'js' } },
      { id: 0, kind: 'none', request: null },
    ]);
  });
  it('writes the documented unsubscribe reply', () => {
    expect([...protobufCodec.encodeReply({ id: 6, unsubscribe: {} })]).toEqual([
      0x04, 0x08, 0x06, 0x3a, 0x00,
    ]);
  });
  it('writes a publication push that its own reader understands', () => {
    const frame = protobufCodec.encodePublication(
      PushTarget.byName('c'),
      { data: utf8.encode('x'), offset: 300, tags: new Map([['a', 'b']]), info: { user: 'u', client: 'c' } },
      'plain',
    )!;
    const reply = protobufCodec.replies(frame).next();
    expect(reply?.push).toMatchObject({
      channel: 'c',
      pub: { offset: 300, tags: new Map([['a', 'b']]), info: { user: 'u', client: 'c', connInfo: null } },
    });
    expect([
      ...protobufCodec.encodePush({
        channel: 'c',
        pub: {
          data: utf8.encode('x'),
          offset: 300,
          tags: new Map([['a', 'b']]),
          info: { user: 'u', client: 'c' },
        },
      }),
    ]).toEqual([...frame]);
  });
});
