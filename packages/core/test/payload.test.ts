import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { payloadBytes } from '#src/payload.ts';

const text = (payload: unknown) => Buffer.from(payloadBytes(payload)).toString();

describe('a payload', () => {
  it('that is bytes stays as it is', () => {
    const bytes = new Uint8Array([0xff, 0x00]);
    expect(payloadBytes(bytes)).toBe(bytes);
    const buffer = Buffer.from('{"a": 1}');
    expect(payloadBytes(buffer)).toBe(buffer);
    expect(payloadBytes(bytes.buffer)).toEqual(bytes);
  });

  it('that is a value of JSON becomes its text, strings too', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(text(value)).toBe(JSON.stringify(value));
      }),
    );
    expect(text('test')).toBe('"test"');
    expect(text('é')).toBe('"é"');
  });

  it('may have members with toJSON, and the same object twice', () => {
    const at = new Date(0);
    const shared = { n: 1 };
    expect(text({ at, one: shared, two: [shared] })).toBe(JSON.stringify({ at, one: shared, two: [shared] }));
    class Price {
      readonly amount = 3;
      toJSON(): object {
        return { amount: String(this.amount) };
      }
    }
    expect(text([new Price()])).toBe('[{"amount":"3"}]');
  });

  const cycle: { list: unknown[] } = { list: [] };
  cycle.list.push({ back: cycle });
  let deep: unknown[] = [];
  for (let level = 0; level < 600; level++) deep = [deep];

  it.each<[string, unknown, string | RegExp]>([
    [
      'undefined',
      undefined,
      'payload must be a JSON value; got undefined: leave the member out, or use null',
    ],
    [
      'undefined inside',
      { a: { b: undefined } },
      'payload.a.b must be a JSON value; got undefined: leave the member out, or use null',
    ],
    ['undefined in a list', { a: [1, undefined] }, /^payload\.a\[1\] must be/],
    ['a BigInt', { a: [{ n: 1n }] }, 'payload.a[0].n must be a JSON value; got a BigInt: use a string'],
    ['a function', { run: () => 1 }, 'payload.run must be a JSON value; got a function'],
    ['a function alone', () => 1, 'payload must be a JSON value; got a function'],
    ['a symbol', [Symbol('s')], 'payload[0] must be a JSON value; got a symbol'],
    ['a cycle', cycle, 'payload.list[0].back must be a JSON value; got an object that contains itself'],
    ['NaN', { ratio: 0 / 0 }, 'payload.ratio must be a JSON value; got NaN'],
    ['another typed array', new Float32Array(2), /^payload must be a JSON value; got a Float32Array: encode/],
    ['a DataView', new DataView(new ArrayBuffer(1)), /got a DataView/],
    [
      'bytes inside',
      { file: new Uint8Array(3) },
      /^payload\.file must be a JSON value; got a Uint8Array: encode/,
    ],
    [
      'a Buffer inside',
      { file: Buffer.alloc(3) },
      /^payload\.file must be a JSON value; got a Buffer: encode/,
    ],
    ['a Map', { rights: new Map() }, 'payload.rights must be a JSON value; got a Map'],
    ['a promise that was not awaited', Promise.resolve(1), 'payload must be a JSON value; got a Promise'],
    ['a name that is no identifier', { 'a b': undefined }, /^payload\["a b"\] must be/],
    ['what toJSON answers', { toJSON: () => ({ n: 1n }) }, /^payload\.n must be/],
    ['too many levels', deep, /got more than 512 levels$/],
  ])('that is or holds %s is refused by its path', (_case, payload, message) => {
    const refused = typeof message === 'string' ? message : expect.stringMatching(message);
    expect(() => payloadBytes(payload)).toThrow(
      expect.objectContaining({ code: 'MSG_INVALID_ARGUMENT', message: refused }),
    );
  });
});
