import { applyDelta } from '@msg/protocol';
import { appendPatch, checksum, type GrownDocument, ResidueSums, weightOf } from '@msg/protocol/internal';
import { describe, expect, it } from 'vitest';
import { text, utf8 } from '../support/bytes.ts';
import { Random, SEED } from '../support/random.ts';

const HEAD = utf8('{"id":"m1","status":"streaming","text":"');
const SUFFIX = utf8('"}');

function grown(
  head: Uint8Array,
  body: string,
  memory = utf8(body),
): GrownDocument & { readonly text: string } {
  const bodyLength = utf8(body).length;
  const whole = utf8(`${text(head)}${body}"}`);
  return { head, memory, bodyLength, suffix: SUFFIX, checksum: checksum(whole), text: text(whole) };
}

describe('the patch of a grown document', () => {
  it.each([
    ['Hello', 'Hello wor', 51, 1843478557, 'o\ni@0,6: wor"}1itK0T;'],
    ['Grüß', 'Grüß Gott 👋', 58, 3520841968, 'v\nj@0,C: Gott 👋"}3HrxZl;'],
  ])('from %s to %s is the vector of the specification', (before, after, length, sum, expected) => {
    const to = grown(HEAD, after);
    expect([utf8(to.text).length, to.checksum]).toEqual([length, sum]);
    const patch = appendPatch(grown(HEAD, before), to);
    expect(text(patch as Uint8Array)).toBe(expected);
  });

  it('is left out when it is not smaller than the document', () => {
    const head = utf8('{"id":"m1","status":"complete","text":"');
    const to = grown(head, 'Hello world');
    expect([utf8(to.text).length, to.checksum]).toEqual([52, 943707582]);
    expect(appendPatch(grown(HEAD, 'Hello wor'), to)).toBeNull();
  });

  it('moves the body behind another head', () => {
    const head = utf8('{"id":"m1","status":"complete","text":"');
    const body = 'Hello wor'.repeat(20);
    const from = grown(HEAD, body);
    const to = grown(head, `${body}ld`);
    const patch = appendPatch(from, to) as Uint8Array;
    expect(text(patch)).toMatch(/^\w+\nc:\{"id":"m1","status":"complete","text":"/);
    expect(text(applyDelta(utf8(from.text), patch))).toBe(to.text);
    // The first body is empty: nothing is copied, and the full form is shorter.
    expect(appendPatch(grown(HEAD, ''), grown(head, 'x'))).toBeNull();
  });

  it('costs 23 bytes beside the four that are new on a million', () => {
    const body = 'a'.repeat(1_000_000);
    const patch = appendPatch(grown(HEAD, body), grown(HEAD, `${body}toke`)) as Uint8Array;
    expect(patch.length).toBeLessThanOrEqual(27);
  });

  it('takes only the part of the memory that belongs to the state', () => {
    const memory = utf8('one two three four five six and what later states wrote behind it');
    const to = { ...grown(HEAD, 'one two three four five six'), memory };
    const patch = appendPatch({ ...grown(HEAD, 'one two'), memory }, to) as Uint8Array;
    expect(text(applyDelta(utf8(grown(HEAD, 'one two').text), patch))).toBe(to.text);
  });
});

describe('residue sums', () => {
  it('give the checksum of a document wherever the bytes stand, however they were added', () => {
    const random = new Random(SEED);
    for (let run = 0; run < 500; run++) {
      const sums = new ResidueSums();
      const body = random.bytes(random.below(200));
      for (let at = 0; at < body.length; ) {
        const end = Math.min(body.length, at + random.below(9));
        sums.add(body, at, end);
        at = end;
      }
      const head = random.bytes(random.below(40));
      const suffix = random.bytes(random.below(5));
      const whole = new Uint8Array([...head, ...body, ...suffix]);
      const weight =
        weightOf(head, 0) + sums.weightAt(head.length) + weightOf(suffix, head.length + sums.length);
      expect(weight >>> 0).toBe(checksum(whole));
    }
  });
});
