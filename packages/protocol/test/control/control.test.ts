import { decodeControl, encodeControl } from '@msg/protocol/internal';
import { describe, expect, it } from 'vitest';
import { controlCommandType } from '#src/control/messages.ts';
import { decodeFault, hex, utf8 } from '../support/bytes.ts';
import { generate, plain } from '../support/generate.ts';
import { Random, SEED } from '../support/random.ts';

describe('control messages (client protocol 17)', () => {
  it('the bytes of a survey request', () => {
    const bytes = encodeControl({ uid: 'n', surveyRequest: { id: 1, op: 'x', data: utf8('d') } });
    expect([...bytes]).toEqual([...hex('0a 01 6e 42 08 08 01 12 01 78 1a 01 64')]);
    expect(decodeControl(bytes)).toMatchObject({
      uid: 'n',
      node: null,
      surveyRequest: { id: 1, op: 'x', data: utf8('d') },
    });
  });
  it('a shutdown has no members, but is there', () => {
    expect([...encodeControl({ uid: 'n', shutdown: {} })]).toEqual([...hex('0a 01 6e 3a 00')]);
    expect(decodeControl(hex('0a 01 6e 3a 00')).shutdown).toEqual({});
  });
  it('node metrics are doubles', () => {
    const node = {
      uid: 'n',
      metrics: {
        interval: 2.5,
        items: new Map([
          ['a', -1e300],
          ['b', 0],
        ]),
      },
    };
    expect(decodeControl(encodeControl({ node })).node?.metrics).toEqual(node.metrics);
    expect(decodeControl(encodeControl({ node: { uid: 'n' } })).node?.metrics).toBeNull();
  });
  it(`survive a round trip, seed ${SEED}`, () => {
    const random = new Random(SEED);
    for (let i = 0; i < 500; i++) {
      const command = generate(controlCommandType, random, { jsonPayloads: false });
      expect(plain(decodeControl(encodeControl(command)))).toEqual(plain(command));
    }
  });
  it('foreign bytes are refused with a code', () => {
    expect(decodeFault(() => decodeControl(hex('0f')))).toBe('malformed');
  });
});
