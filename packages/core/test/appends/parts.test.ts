import { describe, expect, it } from 'vitest';
import { OpQueue, textParts } from '#src/appends/op-queue.ts';
import { TextJoiner } from '#src/appends/text-joiner.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('characters between two writes', () => {
  it('joins a surrogate pair, and bytes of one character', () => {
    const joiner = new TextJoiner();
    const hand = '👋';
    expect([joiner.add(`a${hand[0]}`), joiner.add(`${hand[1]}b`)]).toEqual(['a', `${hand}b`]);
    const encoded = bytes('ü👋');
    const parts = [...encoded].map(byte => joiner.add(new Uint8Array([byte])));
    expect(parts).toEqual(['', 'ü', '', '', '', hand]);
  });

  it('what stays incomplete is U+FFFD, also before the other kind of write', () => {
    const joiner = new TextJoiner();
    expect([joiner.add('a\ud83d'), joiner.add(bytes('b')), joiner.end()]).toEqual(['a', '\ufffdb', '']);
    expect([joiner.add(new Uint8Array([0xc3])), joiner.add('c'), joiner.end()]).toEqual(['', '\ufffdc', '']);
    expect([joiner.add('d\ud83d'), joiner.end()]).toEqual(['d', '\ufffd']);
    expect(joiner.add('\udc4b lone')).toBe('\ufffd lone');
  });
});

describe('the operations of a message', () => {
  it('joins texts until they have a number, and never after', () => {
    const queue = new OpQueue();
    for (const text of ['a', 'b', 'c']) queue.add({ text });
    expect(queue.next()).toEqual({ seq: 1, ops: [{ text: 'abc' }] });
    queue.add({ text: 'd' });
    queue.add({ text: 'e' });
    expect(queue.next()).toEqual({ seq: 1, ops: [{ text: 'abc' }] });
    queue.rewind(1);
    expect(queue.next()).toEqual({ seq: 2, ops: [{ text: 'de' }] });
    queue.rewind(2);
    expect(queue.isEmpty).toBe(true);
  });

  it('sends again what a store lost, from any number, and everything to another store', () => {
    const queue = new OpQueue();
    for (const text of ['a', 'b', 'c']) {
      queue.add({ text });
      queue.next();
      queue.rewind(queue.acknowledged + 1);
    }
    expect(queue.rewind(1)).toBe(true);
    expect(queue.next()).toEqual({ seq: 2, ops: [{ text: 'b' }, { text: 'c' }] });
    queue.reopen([]);
    expect(queue.next()).toMatchObject({ seq: 1, ops: { length: 3 } });
    expect(queue.rewind(4)).toBe(false);
    const resumed = new OpQueue(7);
    resumed.add({ text: 'x' });
    expect(resumed.next()).toEqual({ seq: 8, ops: [{ text: 'x' }] });
    expect(resumed.rewind(6)).toBe(false);
    resumed.reopen([{ text: 'before' }]);
    expect(resumed.next()).toEqual({ seq: 1, ops: [{ text: 'before' }, { text: 'x' }] });
  });

  it('has at most 1,024 operations and about 1 MiB in a request', () => {
    const many = new OpQueue();
    for (let n = 0; n < 1500; n++) many.add({ item: bytes(String(n)) });
    expect(many.next().ops).toHaveLength(1024);
    const large = new OpQueue();
    for (let n = 0; n < 3; n++) large.add({ item: new Uint8Array(700_000) });
    expect(large.next().ops).toHaveLength(1);
  });

  it('requests become half as large when a message is nearly full, down to a part of a text', () => {
    const queue = new OpQueue();
    const texts = Array.from({ length: 4 }, (_, n) => `${n}`.repeat(16_000));
    for (const text of texts) queue.add({ text });
    expect(queue.next().ops).toHaveLength(4);
    expect([queue.shrink(), queue.next().ops.length, queue.shrink()]).toEqual([true, 2, true]);
    expect(queue.next()).toEqual({ seq: 1, ops: [{ text: texts[0] }] });
    queue.rewind(1);
    let refusals = 0;
    for (; queue.shrink(); refusals++) {
      const { seq, ops } = queue.next();
      expect([seq, ops]).toEqual([2, [{ text: '1'.repeat(16_000 / 2 ** (refusals + 1)) }]]);
    }
    expect(refusals).toBe(6);
    // The next message has all of it, in requests as large as before.
    const rest = queue.rest();
    const { ops } = rest.next();
    expect(ops.map(op => ('text' in op ? op.text : '')).join('')).toBe(texts.slice(1).join(''));
    expect([rest.waitingBytes, queue.waitingBytes]).toEqual([0, 0]);
  });

  it('a part of a text never ends inside a character, and what is short is not cut', () => {
    const queue = new OpQueue();
    queue.add({ text: `${'x'.repeat(299)}👋${'y'.repeat(299)}` });
    expect([queue.shrink(), queue.next().ops]).toEqual([true, [{ text: 'x'.repeat(299) }]]);
    const small = new OpQueue();
    small.add({ text: 'x' });
    expect(small.shrink()).toBe(false);
    expect(small.waitingBytes).toBe(1);
  });

  it('cuts a long text between characters', () => {
    const text = `${'x'.repeat(16_383)}👋${'y'.repeat(20_000)}`;
    const parts = [...textParts(text)];
    expect(parts.join('')).toBe(text);
    expect(parts.every(part => part.isWellFormed() && part.length <= 16_384)).toBe(true);
  });
});
