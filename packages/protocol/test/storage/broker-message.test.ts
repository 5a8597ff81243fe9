import type { Publication } from '@msg/protocol';
import {
  decodeBrokerMessage,
  decodeClientInfo,
  decodePublicationRecord,
  encodeClientInfo,
  encodeJoinMessage,
  encodeLeaveMessage,
  encodePositionedDeltaMessage,
  encodePositionedMessage,
  encodePublicationMessage,
  encodePublicationRecord,
  encodeVolatileMessage,
  type StateMessage,
} from '@msg/protocol/internal';
import { describe, expect, it } from 'vitest';
import { publicationType } from '#src/messages/publication.ts';
import { decodeFault, text, utf8 } from '../support/bytes.ts';
import { generate, plain } from '../support/generate.ts';
import { Random, SEED } from '../support/random.ts';

const info = { user: '42', client: 'c', connInfo: utf8('{}'), chanInfo: null };
const record = encodePublicationRecord({ data: utf8('payload'), offset: 9 });

describe('stored records (client protocol 16.2, 16.6)', () => {
  it('the offset is the entry’s, not the record’s', () => {
    expect(decodePublicationRecord(record)).toMatchObject({ offset: 0 });
    expect(decodePublicationRecord(record, 9)).toMatchObject({ offset: 9 });
    expect(text(decodePublicationRecord(record, 9).data.bytes)).toBe('payload');
  });
  it('presence entries', () => {
    expect(decodeClientInfo(encodeClientInfo(info))).toEqual(info);
  });
});

describe('broker messages (client protocol 16.4)', () => {
  it('the bytes of each kind', () => {
    const head = (bytes: Uint8Array, size: number) => text(bytes.subarray(0, size));
    expect(head(encodePositionedMessage(record, { offset: 12, epoch: 'abcd' }), 14)).toBe('__p1:12:abcd__');
    expect(head(encodePositionedDeltaMessage(record, { offset: 12, epoch: 'abcd' }, record), 15)).toBe(
      `__d1:12:abcd:${record.length}:`.slice(0, 15),
    );
    expect(text(encodePositionedDeltaMessage(utf8('x'), { offset: 1, epoch: 'e' }, null))).toBe(
      '__d1:1:e:0::1:x',
    );
    expect(head(encodeJoinMessage(info), 5)).toBe('__j__');
    expect(head(encodeLeaveMessage(info), 5)).toBe('__l__');
    expect(encodePublicationMessage({ data: utf8('payload') })).toEqual(record);
    expect(head(encodeVolatileMessage({ data: utf8('payload') }), 5)).toBe('__v__');
    expect(encodeVolatileMessage({ data: utf8('payload') }).subarray(5)).toEqual(record);
  });

  it(`survive a round trip, payloads with any bytes; seed ${SEED}`, () => {
    const random = new Random(SEED);
    for (let i = 0; i < 1_000; i++) {
      const publication = generate(publicationType, random, {
        jsonPayloads: false,
      }) as unknown as Publication;
      const position = {
        offset: 1 + random.below(2 ** 31),
        epoch: random.pick(['', 'abcdefgh', 'é', 'a_b']),
      };
      const stored = encodePublicationRecord({ ...publication, delta: false });
      const read = { ...publication, delta: false, offset: position.offset };
      const previous = random.chance(0.5) ? encodePublicationRecord({ data: random.bytes(30) }) : null;

      expect(plain(decodeBrokerMessage(encodePositionedMessage(stored, position)))).toEqual(
        plain({
          kind: 'publication',
          publication: read,
          position,
          delta: false,
          previous: null,
          isVolatile: false,
        }),
      );
      expect(plain(decodeBrokerMessage(encodePositionedDeltaMessage(stored, position, previous)))).toEqual(
        plain({
          kind: 'publication',
          publication: read,
          position,
          delta: true,
          previous: previous && decodePublicationRecord(previous, position.offset - 1),
          isVolatile: false,
        }),
      );
      const delta = random.chance(0.5);
      expect(plain(decodeBrokerMessage(encodePublicationMessage(publication, delta)))).toEqual(
        plain({
          kind: 'publication',
          publication: { ...publication, offset: 0, delta: false },
          position: null,
          delta,
          previous: null,
          isVolatile: false,
        }),
      );
      expect(plain(decodeBrokerMessage(encodeVolatileMessage(publication)))).toEqual(
        plain({
          kind: 'publication',
          publication: { ...publication, offset: 0, delta: false },
          position: null,
          delta: false,
          previous: null,
          isVolatile: true,
        }),
      );
    }
    expect(decodeBrokerMessage(encodeJoinMessage(info))).toEqual({ kind: 'join', info });
    expect(decodeBrokerMessage(encodeLeaveMessage(info))).toEqual({ kind: 'leave', info });
  });

  it.each([
    '__',
    '__x__',
    '__p1:',
    '__p1:1',
    '__p1:1:e',
    '__p1::e__',
    '__p1:x:e__',
    '__p1:-1:e__',
    '__p1:1234567890123456:e__',
    '__d1:1:e',
    '__d1:1:e:5:ab',
    '__d1:1:e:0:',
    '__d1:1:e:0::',
    '__d1:1:e:0::9:',
    '__d1:1:e:x::0:',
    '__d1:1:e:99999::0:',
    '__j__\u000f',
    '__a1:',
    '__a1:2:e:m:2:t:4:0:',
    '__a1:2:e:m:2:t:4:0::2:a',
    '__a1:2:e:m:2:t:4:0::2:abc',
    '__a1:2:e:m:2:t:4:9:{"::2:ab',
    '__a1:2:e::2:t:4:0::2:ab',
    '__a1:2:e:m:2:z:4:0::2:ab',
    '__a1:2:e:m:2:t:32:0::2:ab',
    '__a1:2:e:m:x:t:4:0::2:ab',
    '__a1:2:e:m:2:t:1:0::2:ab',
    '__a1:2:e:m:2:t:1:2:{":2:ab',
    '__a1:2:e:m:2:t:2:0::2:ab',
    '__a1:2:e:m:2:t:4:0::3:a\nb',
    '__a1:2:e:m:2:t:4:3:{\r":2:ab',
  ])('%s is refused', message => {
    expect(decodeFault(() => decodeBrokerMessage(utf8(message)))).not.toBe('none');
  });

  it('a state of an append stream: what was added, and the head where it is new', () => {
    const state = (message: string) => {
      const { head, added, ...rest } = decodeBrokerMessage(utf8(message)) as StateMessage;
      return { ...rest, head: head === null ? null : text(head), added: text(added) };
    };
    const grown = { kind: 'state', message: 'm', tail: 't', by: 'producer', end: null };
    expect(state('__a1:7:e:m:20:t:4:0::3:a:b')).toEqual({
      ...grown,
      position: { offset: 7, epoch: 'e' },
      from: 20,
      opened: false,
      ended: false,
      afterState: true,
      head: null,
      added: 'a:b',
    });
    expect(state('__a1:1:e:m:0:t:1:4:{":":0:')).toMatchObject({ opened: true, head: '{":"', added: '' });
  });

  it('a state whose bytes are no characters is refused', () => {
    const message = utf8('__a1:2:e:m:2:t:4:0::2:ab');
    message[message.length - 1] = 0xc3;
    expect(decodeFault(() => decodeBrokerMessage(message))).toBe('malformed');
  });

  it.each(['a:b', 'a__b', 'a_'])('the epoch %s cannot be carried', epoch => {
    expect(() => encodePositionedMessage(record, { offset: 1, epoch })).toThrow(RangeError);
  });
});
