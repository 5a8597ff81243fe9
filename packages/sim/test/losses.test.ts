import { describe, expect, it } from 'vitest';
import { lossesOf, NodeLife } from '../src/world/standard/losses.ts';

const CHANNEL = 'public:sim.c0';
const SECOND = 1_000_000;
const NOTHING = { wipedAtUs: [], forks: [], renewals: [], channels: [] };

function published(offset: number) {
  return { atUs: offset * SECOND, channel: CHANNEL, epoch: 'e', offset, text: `${offset}` };
}

/** What was lost of three publications when a node hears them so much later; undefined: never. */
function lost(lateUs: readonly (number | undefined)[], life = new NodeLife()): number[] {
  life.listens(CHANNEL, 0);
  for (const [i, late] of lateUs.entries())
    if (late !== undefined) life.heard(published(i + 1), (i + 1) * SECOND + late);
  const all = [published(1), published(2), published(3)];
  return lossesOf(all, [life], NOTHING).map(({ atUs }) => atUs / SECOND);
}

describe('the losses of a run with several nodes', () => {
  it('are what a node that listens heard too late or never', () => {
    expect(lost([1000, 1000, 1000])).toEqual([]);
    expect(lost([1000, undefined, 600_000])).toEqual([2, 3]);
  });

  it('are nothing of what was published before it listened, after it left, or after its end', () => {
    const late = new NodeLife();
    late.listens(CHANNEL, 2.5 * SECOND);
    expect(lossesOf([published(1)], [late], NOTHING)).toEqual([]);
    const ended = new NodeLife();
    ended.listens(CHANNEL, 0);
    ended.ends(1.5 * SECOND);
    expect(lossesOf([published(2)], [ended], NOTHING)).toEqual([]);
    late.leaves(CHANNEL, 2.6 * SECOND);
    expect(lossesOf([published(3)], [late], NOTHING)).toEqual([]);
  });

  it('are one in each channel where the store lost everything', () => {
    const losses = lossesOf([], [], { ...NOTHING, wipedAtUs: [7], channels: ['a', 'b'] });
    expect(losses).toEqual([
      { channel: 'a', atUs: 7 },
      { channel: 'b', atUs: 7 },
    ]);
  });

  it('include what a fail-over lost, although a node heard it, and another publication may get its position', () => {
    const life = new NodeLife();
    life.listens(CHANNEL, 0);
    const lostOne = { ...published(1), lostUs: 2 * SECOND };
    life.heard(lostOne, SECOND);
    const given = { ...published(1), text: 'given again', atUs: 3 * SECOND, line: 1 };
    expect(lossesOf([lostOne, given], [life], NOTHING).map(({ atUs }) => atUs / SECOND)).toEqual([1, 3]);
    expect(life.remembers(lostOne, 9 * SECOND)).toBe(true);
    life.leaves(CHANNEL, 8 * SECOND);
    expect([life.remembers(lostOne, 9 * SECOND), life.remembers(given, 4 * SECOND)]).toEqual([false, false]);
  });
});
