import { applyDelta, createDelta, type DecodeErrorCode } from '@msg/protocol';
import { createPatch, isUtf8 } from '@msg/protocol/internal';
import { Centrifuge as Stock580 } from 'centrifuge';
import { Centrifuge as Stock574 } from 'centrifuge-5.7.4';
import * as fossil from 'fossil-delta';
import { describe, expect, it } from 'vitest';
import { decodeFault, hex, text, utf8 } from '../support/bytes.ts';
import { Random, SEED } from '../support/random.ts';

/** The delta decoder inside the stock client. */
interface StockCodec {
  applyDeltaIfNeeded(pub: { data: string; delta?: boolean }, base: Uint8Array): { newData: unknown };
}
const stockCodecs = [Stock574, Stock580].map(Client => {
  const client: unknown = new (Client as typeof Stock580)('ws://localhost', { websocket: class {} });
  return (client as { _codec: StockCodec })._codec;
});

const WORDS = [
  'offset',
  'publication',
  'channel',
  '"',
  '{',
  '}',
  ' ',
  'é',
  'ßtraße',
  '日本語',
  '😀',
  '0',
  '1',
  '42',
  '\n',
  'lorem ipsum dolor sit amet',
];

function someText(random: Random, words: number): string {
  return Array.from({ length: words }, () => random.pick(WORDS)).join('');
}

/** A pair of the kinds that matter: unrelated, edited, random bytes, repetitive, empty. */
function pair(random: Random): [Uint8Array, Uint8Array] {
  const kind = random.below(6);
  if (kind === 0) return [random.bytes(random.below(400)), random.bytes(random.below(400))];
  if (kind === 1) {
    const base = random.bytes(random.below(600));
    const target = Uint8Array.from(base);
    for (let n = random.below(5); n > 0 && target.length > 0; n--)
      target[random.below(target.length)] = random.below(256);
    return [base, target];
  }
  if (kind === 2)
    return [new Uint8Array(random.below(500)).fill(65), new Uint8Array(random.below(500)).fill(65)];
  if (kind === 3) {
    const list = () =>
      JSON.stringify(
        Array.from({ length: random.below(12) }, (_, id) => ({
          id,
          name: 'entry é',
          value: random.below(10),
        })),
      );
    return [utf8(list()), utf8(list())];
  }
  const base = someText(random, random.below(60));
  const cut = random.below(base.length + 1);
  const target = base.slice(0, cut) + someText(random, random.below(4)) + base.slice(cut + random.below(8));
  return kind === 4 ? [utf8(base), utf8(target.toWellFormed())] : [utf8(target.toWellFormed()), utf8(base)];
}

describe('fossil delta (client protocol, appendix B)', () => {
  it('the examples of the appendices', () => {
    expect(text(createDelta(utf8('short'), utf8('shorts')))).toBe('6\n6:shorts3crryn;');
    const before = utf8('{"n":1,"note":"steady payload that repeats"}');
    const after = utf8('{"n":2,"note":"steady payload that repeats"}');
    expect(text(createDelta(before, after))).toBe('h\n6:{"n":2b@6,1CQ8wv;');
    expect(text(applyDelta(before, utf8('h\n6:{"n":2b@6,1CQ8wv;')))).toBe(text(after));
  });

  it(`apply(create(a, b), a) is b, here and in fossil-delta, both ways; seed ${SEED}`, () => {
    const random = new Random(SEED);
    for (let i = 0; i < 20_000; i++) {
      const [base, target] = pair(random);
      const delta = createDelta(base, target);
      const note = `seed ${SEED}, pair ${i}`;
      expect(equal(applyDelta(base, delta), target), note).toBe(true);
      expect(equal(Uint8Array.from(fossil.applyDelta(base, delta)), target), note).toBe(true);
      expect(equal(applyDelta(base, Uint8Array.from(fossil.createDelta(base, target))), target), note).toBe(
        true,
      );
      expect(delta.length, note).toBeLessThanOrEqual(target.length + 32);
    }
  });

  it(`patches for JSON connections decode in the stock clients; seed ${SEED}`, () => {
    const random = new Random(SEED + 1);
    let patches = 0;
    for (let i = 0; i < 10_000; i++) {
      const base = utf8(JSON.stringify({ text: someText(random, 20), n: random.below(100) }));
      const value = {
        text: JSON.parse(text(base)).text.slice(0, random.below(60)).toWellFormed() + someText(random, 3),
        n: i,
      };
      const patch = createPatch(base, utf8(JSON.stringify(value)), { utf8: true });
      if (patch === null) continue;
      patches++;
      expect(isUtf8(patch)).toBe(true);
      for (const codec of stockCodecs) {
        expect(codec.applyDeltaIfNeeded({ data: text(patch), delta: true }, base).newData).toEqual(value);
      }
    }
    expect(patches).toBeGreaterThan(1_000);
  });

  it('large pairs take time in proportion to their size', () => {
    const base = new Uint8Array(100_000).fill(97);
    const random = new Random(7);
    for (const target of [
      base,
      random.bytes(100_000),
      Uint8Array.from(base, (byte, i) => (i % 1_000 === 0 ? 98 : byte)),
    ]) {
      const start = performance.now();
      expect(equal(applyDelta(base, createDelta(base, target)), target)).toBe(true);
      expect(performance.now() - start).toBeLessThan(3_000);
    }
  });
});

describe('deltas that do not apply', () => {
  const base = utf8('{"n":1,"note":"steady payload that repeats"}');
  it.each<[string, string, DecodeErrorCode]>([
    ['empty', '', 'bad_delta'],
    ['no length', '\n0;', 'bad_delta'],
    ['no newline', 'h', 'bad_delta'],
    ['unknown command', 'h\n6?', 'bad_delta'],
    ['copy from beyond the base', 'h\nh@1,0;', 'bad_delta'],
    ['copy without a comma', 'h\nh@0;', 'bad_delta'],
    ['literal cut off', 'h\n6:ab', 'bad_delta'],
    ['longer than announced', '2\n6:{"n":20;', 'bad_delta'],
    ['shorter than announced', 'h\n6:{"n":20;', 'bad_delta'],
    ['wrong checksum', 'h\n6:{"n":2b@6,1CQ8ww;', 'bad_delta'],
    ['no end', 'h\n6:{"n":2b@6,', 'bad_delta'],
    ['bytes after the end', 'h\n6:{"n":2b@6,1CQ8wv;x', 'bad_delta'],
    ['a number above 32 bits', '~~~~~~\n0;', 'bad_delta'],
    ['4 GiB announced', '3~~~~~\n0;', 'too_large'],
  ])('%s', (_, delta, code) => {
    expect(decodeFault(() => applyDelta(base, utf8(delta)))).toBe(code);
  });
  it('the limit is the caller’s', () => {
    expect(decodeFault(() => applyDelta(base, utf8('h\n6:{"n":2b@6,1CQ8wv;'), 43))).toBe('too_large');
  });
});

describe('whether a patch is worth sending (client protocol 12.1, 12.3)', () => {
  const long = 'the same text on both sides, long enough to pay';
  it('no patch that is not smaller', () => {
    expect(createPatch(utf8('short'), utf8('shorts'), { utf8: true })).toBeNull();
    expect(createPatch(utf8(''), utf8(''), { utf8: false })).toBeNull();
  });
  it('no patch above the size ceiling', () => {
    expect(createPatch(utf8(long), utf8(`${long}!`), { utf8: false, maxBytes: 10 })).toBeNull();
    expect(createPatch(utf8(long), utf8(`${long}!`), { utf8: false })).not.toBeNull();
    const base = utf8('x'.repeat(131_000));
    const [largest, larger] = [`${'x'.repeat(131_071)}y`, `${'x'.repeat(131_072)}y`];
    expect(createPatch(base, utf8(largest), { utf8: false })).not.toBeNull();
    expect(createPatch(base, utf8(larger), { utf8: false })).toBeNull();
  });
  it('no patch that cuts a character, where it has to be UTF-8', () => {
    // ä and ö differ in their last byte only: the copy ends inside the character.
    const [base, target] = [utf8(`${long} ä`), utf8(`${long} ö`)];
    const patch = createPatch(base, target, { utf8: false });
    expect(patch !== null && isUtf8(patch)).toBe(false);
    expect(createPatch(base, target, { utf8: true })).toBeNull();
  });
});

describe('isUtf8', () => {
  it.each([
    ['', true],
    ['61', true],
    ['c3a9', true],
    ['e282ac', true],
    ['f09f9880', true],
    ['c3', false],
    ['80', false],
    ['c0af', false],
    ['eda080', false],
    ['f4908080', false],
    ['f5', false],
  ])('%s: %s', (bytes, expected) => {
    expect(isUtf8(hex(bytes))).toBe(expected);
  });
});

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}
