import { Payload, type Publication } from '@msg/engine';
import { newPublication } from '@msg/engine/internal';
import { ManualClock } from '@msg/foundation/clock/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Tail, type TailBatch, type TailRequest } from '#src/live/tail.ts';

const EPOCH = 'abcd';

function publication(offset: number, text = '{"n":1}', tags = new Map<string, string>()): Publication {
  return newPublication(Payload.of(Buffer.from(text)), offset, { tags }, 0);
}

function start(request: Partial<TailRequest> = {}, isListening = () => true) {
  const clock = new ManualClock();
  const whole = {
    name: 'public:a',
    perSecond: 20,
    maxPayloadBytes: 2048,
    tags: new Map<string, string>(),
    isShown: true,
    ...request,
  };
  const tail = new Tail(whole, clock, isListening);
  const publish = (offset: number, epoch = EPOCH, ...rest: [string?, Map<string, string>?]): void =>
    tail.published(publication(offset, ...rest), { offset, epoch });
  return { tail, clock, publish };
}

const shownOf = (batches: readonly TailBatch[]): number =>
  batches.reduce((sum, { items }) => sum + items.length, 0);

describe('a tail', () => {
  it('shows and skips as many as the difference of offsets, at any rate and with gaps and repetitions', () => {
    const step = fc.record({
      advanceMs: fc.integer({ min: 0, max: 300 }),
      offsetBy: fc.integer({ min: 0, max: 3 }),
      takes: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 200 }),
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 0, max: 1000 }),
        (steps, perSecond, begin) => {
          const { tail, clock, publish } = start({ perSecond });
          tail.begin({ offset: begin, epoch: EPOCH });
          const batches: TailBatch[] = [];
          let top = begin;
          let elapsed = 0;
          for (const { advanceMs, offsetBy, takes } of steps) {
            clock.advance(advanceMs);
            elapsed += advanceMs;
            top += offsetBy;
            if (top > 0) publish(top);
            if (takes) batches.push(...tail.take(false));
          }
          batches.push(...tail.take(true));
          const last = batches.at(-1);
          expect(last?.toOffset).toBe(top);
          expect(shownOf(batches) + (last?.skipped ?? 0)).toBe(top - begin);
          expect(last?.seen).toBe(top - begin);
          expect(shownOf(batches)).toBeLessThanOrEqual(perSecond * (1 + elapsed / 1000));
          const offsets = batches.flatMap(({ items }) => items.map(({ offset }) => offset));
          expect(offsets).toEqual([...new Set(offsets)].sort((a, b) => a - b));
        },
      ),
    );
  });

  it('counts what passes before its begin is known', () => {
    const { tail, publish } = start();
    publish(4);
    publish(5);
    expect(tail.take(true)).toEqual([]);
    tail.begin({ offset: 3, epoch: EPOCH });
    publish(6);
    expect(tail.take(false)).toMatchObject([
      { fromOffset: 3, toOffset: 6, seen: 3, skipped: 2, items: [{ offset: 6 }] },
    ]);
  });

  it('begins anew with another epoch, and says so', () => {
    const { tail, publish } = start();
    tail.begin({ offset: 7, epoch: EPOCH });
    publish(8);
    publish(2, 'wxyz');
    expect(tail.take(false)).toMatchObject([
      { epoch: EPOCH, fromOffset: 7, toOffset: 8, seen: 1, skipped: 0 },
      { epoch: 'wxyz', fromOffset: 0, toOffset: 2, seen: 2, skipped: 1, items: [{ offset: 2 }] },
    ]);
  });

  it('counts publications without offsets', () => {
    const { tail, publish } = start({ perSecond: 2 });
    tail.begin({ offset: 0, epoch: '' });
    for (let count = 0; count < 5; count++) publish(0, '');
    expect(tail.take(false)).toMatchObject([{ seen: 5, skipped: 3, toOffset: 0 }]);
    expect(tail.take(false)).toEqual([]);
  });

  it('shows only what has its tags, and counts the rest as skipped', () => {
    const { tail, publish } = start({ tags: new Map([['topic', 'world']]) });
    tail.begin({ offset: 0, epoch: EPOCH });
    publish(1, EPOCH, '1', new Map([['topic', 'world']]));
    publish(2, EPOCH, '2', new Map([['topic', 'sport']]));
    expect(tail.take(false)).toMatchObject([{ seen: 2, skipped: 1, items: [{ offset: 1, data: '1' }] }]);
  });

  it('holds no payload for who may not see it, and cuts long ones', () => {
    const hidden = start({ isShown: false });
    hidden.tail.begin({ offset: 0, epoch: EPOCH });
    hidden.publish(1, EPOCH, '"secret"');
    const [batch] = hidden.tail.take(false);
    expect(batch?.items).toMatchObject([{ data: '', hidden: true, size: 8 }]);
    const cut = start({ maxPayloadBytes: 3 });
    cut.tail.begin({ offset: 0, epoch: EPOCH });
    cut.publish(1, EPOCH, 'aäää');
    expect(cut.tail.take(false)[0]?.items).toMatchObject([{ data: 'aä', truncated: true, size: 7 }]);
  });

  it('sends at most 256 KiB at a time', () => {
    const { tail, publish } = start({ perSecond: 100, maxPayloadBytes: 16_384 });
    tail.begin({ offset: 0, epoch: EPOCH });
    for (let offset = 1; offset <= 30; offset++) publish(offset, EPOCH, 'x'.repeat(16_384));
    const [batch] = tail.take(false);
    expect(batch?.items).toHaveLength(15);
    expect(batch?.skipped).toBe(15);
  });

  it('encodes nothing while its feed has no subscriber', () => {
    let isListening = false;
    const { tail, publish } = start({}, () => isListening);
    tail.begin({ offset: 0, epoch: EPOCH });
    publish(1);
    isListening = true;
    publish(2);
    expect(tail.take(false)).toMatchObject([{ seen: 2, skipped: 1, items: [{ offset: 2 }] }]);
  });
});
