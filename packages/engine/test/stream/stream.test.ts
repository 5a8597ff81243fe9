import { Payload } from '@msg/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newPublication } from '#src/stream/publication.ts';
import { Stream } from '#src/stream/stream.ts';

const publication = (offset: number) => newPublication(new Payload(new Uint8Array()), offset, {}, 0);
const offsets = (items: readonly { offset: number }[]): number[] => items.map(item => item.offset);

describe('stream', () => {
  it('keeps the newest items whatever the window size does, like a plain array', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 60 });
    fc.assert(
      fc.property(sizes, list => {
        const stream = new Stream('e');
        let kept: number[] = [];
        for (const size of list) {
          stream.append(publication(stream.top + 1), size);
          kept = [...kept, stream.top].slice(-size);
          expect(offsets(stream.read({ limit: -1 }))).toEqual(kept);
          expect(stream.oldestOffset).toBe(kept[0]);
          for (const offset of kept) expect(stream.at(offset)?.offset).toBe(offset);
          expect(stream.at(stream.oldestOffset - 1)).toBeNull();
          expect(stream.at(stream.top + 1)).toBeNull();
        }
      }),
    );
  });

  it.each([
    [{ limit: 0 }, []],
    [{ limit: 2 }, [4, 5]],
    [{ limit: -1 }, [4, 5, 6, 7, 8]],
    [{ limit: 2, reverse: true }, [8, 7]],
    [{ limit: -1, since: { offset: 6, epoch: '' } }, [7, 8]],
    [{ limit: -1, since: { offset: 1, epoch: '' } }, [4, 5, 6, 7, 8]],
    [{ limit: -1, since: { offset: 99, epoch: '' } }, []],
    [{ limit: -1, since: { offset: 6, epoch: '' }, reverse: true }, [5, 4]],
    [{ limit: 1, since: { offset: 99, epoch: '' }, reverse: true }, [8]],
    [{ limit: -1, since: { offset: 4, epoch: '' }, reverse: true }, []],
  ])('reads %j', (filter, expected) => {
    const stream = new Stream('e');
    for (let i = 1; i <= 8; i++) stream.append(publication(i), 5);
    expect(offsets(stream.read(filter))).toEqual(expected);
  });

  it('keeps top and epoch when its items are dropped', () => {
    const stream = new Stream('e');
    for (let i = 1; i <= 3; i++) stream.append(publication(i), 2);
    stream.clear();
    expect(stream.read({ limit: -1 })).toEqual([]);
    stream.append(publication(4), 2);
    expect(offsets(stream.read({ limit: -1 }))).toEqual([4]);
  });
});
