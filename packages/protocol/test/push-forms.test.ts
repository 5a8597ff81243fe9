import {
  ChannelAddress,
  type DeliveryForm,
  type Init,
  jsonCodec,
  Payload,
  type Publication,
  protobufCodec,
} from '@msg/protocol';
import { describe, expect, it } from 'vitest';
import { publicationType } from '#src/messages/publication.ts';
import { all, hex, text, utf8 } from './support/bytes.ts';
import { generate } from './support/generate.ts';
import { Random, SEED } from './support/random.ts';

const FORMS: readonly DeliveryForm[] = ['plain', 'delta-full', 'delta-patch'];
const PATCH = utf8('3\n2@0,"é:ok;');

/** The same push through the tables instead of the prepared encoder. */
function byTables(
  codec: typeof jsonCodec,
  target: ChannelAddress,
  publication: Init<Publication>,
  form: DeliveryForm,
) {
  const payload = Payload.of(publication.data ?? new Uint8Array(0));
  const inner = form === 'delta-patch' ? PATCH : codec.encoding === 'json' ? payload.json : payload.bytes;
  if (inner === null) return null;
  const isString = codec.encoding === 'json' && form !== 'plain';
  const data = isString ? Payload.ofJson(utf8(JSON.stringify(text(inner)))) : new Payload(inner);
  const { info, offset, tags, epoch } = publication;
  const pub = { data, info, offset, tags, epoch, delta: form === 'delta-patch' };
  return codec.encodePush({ channel: target.channel, id: target.id, pub });
}

describe(`publication pushes in all delivery forms, seed ${SEED}`, () => {
  const targets = [
    ChannelAddress.byName('public:chat "room" é\n'),
    ChannelAddress.byName('c'),
    ChannelAddress.byId(1),
    ChannelAddress.byId(300),
  ];
  for (const codec of [jsonCodec, protobufCodec]) {
    it.each(FORMS)(`${codec.encoding}, %s: as the tables would write it`, form => {
      const random = new Random(SEED);
      for (let i = 0; i < 500; i++) {
        const publication = generate(publicationType, random, {
          jsonPayloads: true,
        }) as unknown as Publication;
        const target = random.pick(targets);
        const ours = codec.encodePublication(target, publication, form, PATCH);
        const expected = byTables(codec, target, publication, form);
        if (codec.encoding === 'protobuf') expect(ours).toEqual(expected);
        else expect(JSON.parse(text(ours!))).toEqual(JSON.parse(text(expected!)));
        // What a receiver reads is what was meant.
        const [reply] = all(codec.replies(ours!));
        expect(reply?.push).toMatchObject({
          channel: target.channel,
          id: target.id,
          pub: {
            offset: publication.offset,
            tags: publication.tags,
            delta: form === 'delta-patch',
            time: 0,
            prevData: null,
          },
        });
      }
    });
  }
});

describe('JSON bytes of a push', () => {
  const publication = {
    data: new Payload(utf8('{"n":1}')),
    offset: 5,
    tags: new Map([['a', 'é"']]),
    info: { user: '', client: 'x', connInfo: utf8('{}') },
    time: 99,
    delta: true,
  };
  const encode = (form: DeliveryForm) =>
    text(jsonCodec.encodePublication(ChannelAddress.byName('c'), publication, form, PATCH)!);
  const rest = '"info":{"user":"","client":"x","conn_info":{}},"offset":5,"tags":{"a":"é\\""}';

  it('plain', () => expect(encode('plain')).toBe(`{"push":{"channel":"c","pub":{"data":{"n":1},${rest}}}}`));
  it('full for a delta subscriber', () =>
    expect(encode('delta-full')).toBe(`{"push":{"channel":"c","pub":{"data":"{\\"n\\":1}",${rest}}}}`));
  it('patch', () =>
    expect(encode('delta-patch')).toBe(
      `{"push":{"channel":"c","pub":{"data":"3\\n2@0,\\"é:ok;",${rest},"delta":true}}}`,
    ));
  it('by id', () =>
    expect(text(jsonCodec.encodePublication(ChannelAddress.byId(7), { data: utf8('1') }, 'plain')!)).toBe(
      '{"push":{"id":7,"pub":{"data":1}}}',
    ));
});

describe('payloads that are not JSON', () => {
  const target = ChannelAddress.byName('c');
  const encode = (bytes: Uint8Array, form: DeliveryForm) => {
    const message = jsonCodec.encodePublication(target, { data: new Payload(bytes) }, form);
    return JSON.parse(text(message)).push.pub.data;
  };
  it('text reaches JSON connections as a string', () => {
    expect(encode(utf8('boom'), 'plain')).toBe('boom');
    expect(encode(utf8('boom'), 'delta-full')).toBe('"boom"');
    expect(encode(new Uint8Array(0), 'plain')).toBe('');
    expect(encode(new Uint8Array(0), 'delta-full')).toBe('""');
  });
  it('other bytes reach them as base64', () => {
    expect(encode(hex('fffe'), 'plain')).toBe('//4=');
    expect(encode(hex('fffe'), 'delta-full')).toBe('"//4="');
  });
  it('of a publisher and of who joins, JSON leaves out info that is not text', () => {
    const info = { user: 'u', client: 'c', connInfo: hex('ff'), chanInfo: utf8('{"a":1}') };
    const shown = { user: 'u', client: 'c', chan_info: { a: 1 } };
    const publication = jsonCodec.encodePublication(target, { data: utf8('1'), info }, 'plain');
    expect(JSON.parse(text(publication)).push.pub.info).toEqual(shown);
    expect(JSON.parse(text(jsonCodec.encodeJoin(target, info))).push.join.info).toEqual(shown);
    const entries = new Map([['c', info]]);
    const reply = jsonCodec.encodeReply({ id: 1, presence: { presence: entries } });
    expect(JSON.parse(text(reply)).presence.presence).toEqual({ c: shown });
  });
  it('Protobuf takes anything', () => {
    for (const bytes of [hex('fffe'), utf8('boom'), new Uint8Array(0)]) {
      for (const form of ['plain', 'delta-full'] as const) {
        const [reply] = all(
          protobufCodec.replies(protobufCodec.encodePublication(target, { data: bytes }, form)),
        );
        expect(reply?.push?.pub?.data.bytes).toEqual(bytes);
      }
    }
  });
});

describe('join and leave', () => {
  const info = { user: '42', client: 'é', connInfo: utf8('{"a":1}'), chanInfo: null };
  it.each([ChannelAddress.byName('c'), ChannelAddress.byId(70_000)])(
    'are the same as from the tables',
    target => {
      for (const codec of [jsonCodec, protobufCodec]) {
        const { channel, id } = target;
        expect(codec.encodeJoin(target, info)).toEqual(codec.encodePush({ channel, id, join: { info } }));
        expect(codec.encodeLeave(target, info)).toEqual(codec.encodePush({ channel, id, leave: { info } }));
      }
    },
  );
});

describe('targets', () => {
  it.each([0, -1, 1.5, Number.NaN, 2 ** 53])('%d is not a channel id', id => {
    expect(() => ChannelAddress.byId(id)).toThrow(RangeError);
  });
});
