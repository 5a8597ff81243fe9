import {
  EncodeError,
  type Init,
  jsonCodec,
  type Publication,
  type PublicationList,
  type PublicationListKind,
  protobufCodec,
  type Reply,
} from '@msg/protocol';
import { describe, expect, it } from 'vitest';
import { publicationType } from '#src/messages/publication.ts';
import { replyType } from '#src/messages/reply.ts';
import { utf8 } from './support/bytes.ts';
import { generate } from './support/generate.ts';
import { Random, SEED } from './support/random.ts';

/** The lists of publications in a reply, with the kind of each. */
function listsOf(reply: Init<Reply>): [PublicationList, PublicationListKind][] {
  const results = [...(reply.connect?.subs?.values() ?? []), reply.subscribe];
  const lists: [PublicationList, PublicationListKind][] = results.map(result => [
    result?.publications ?? [],
    'recovery',
  ]);
  lists.push([reply.history?.publications ?? [], 'history']);
  return lists.filter(([list]) => list.length > 0);
}

const random = new Random(SEED);

describe.each([jsonCodec, protobufCodec])(
  'a reply around lists that are encoded elsewhere, $encoding',
  codec => {
    const encodeList = (list: PublicationList, kind: PublicationListKind): Uint8Array => {
      const elements = Buffer.concat(list.map(publication => codec.encodeElement(kind, publication)));
      return elements.subarray(0, elements.length - codec.separatorBytes);
    };
    const assemble = (reply: Init<Reply>, omitted: readonly [PublicationList, PublicationListKind][]) => {
      const encoded = new Map(omitted.map(([list, kind]) => [list, encodeList(list, kind)]));
      const sizes = new Map([...encoded].map(([list, { length }]) => [list, length]));
      const parts = codec.encodeReplyAround(reply, sizes);
      return Buffer.concat(
        parts.map(part => (part instanceof Uint8Array ? part : (encoded.get(part) as Uint8Array))),
      );
    };

    it(`is the reply, byte for byte (seed ${SEED})`, () => {
      let lists = 0;
      for (let round = 0; round < 500; round++) {
        const reply = generate(replyType, random, { jsonPayloads: true }, 4) as Init<Reply>;
        const all = listsOf(reply);
        lists += all.length;
        const whole = Buffer.from(codec.encodeReply(reply));
        expect(assemble(reply, all).equals(whole)).toBe(true);
        // Some lists may be written as usual.
        expect(assemble(reply, all.slice(1)).equals(whole)).toBe(true);
      }
      expect(lists).toBeGreaterThan(100);
    });

    it('counts the lists in lengths above what one length byte holds', () => {
      const publications = Array.from({ length: 300 }, (_, i): Init<Publication> => {
        return { ...publicationType.create(), data: utf8(JSON.stringify('x'.repeat(i))), offset: i + 1 };
      });
      const subs = new Map([
        ['a', { publications, epoch: 'e', recovered: true, offset: 7 }],
        ['b', { publications: publications.slice(100), data: utf8('1') }],
      ]);
      const reply: Init<Reply> = { id: 9, connect: { client: 'c', version: '1', subs } };
      expect(assemble(reply, listsOf(reply)).equals(codec.encodeReply(reply))).toBe(true);
    });

    it('leaves the codec ready after an element that cannot be expressed', () => {
      const element = () => codec.encodeElement('history', { data: utf8('1'), offset: 2 ** 53 });
      expect(element).toThrow(EncodeError);
      expect([...codec.encodeReply({})]).toEqual([...codec.ping]);
    });
  },
);
