import { describe, expect, it } from 'vitest';
import { timelineText } from '../src/plan/timeline.ts';

const SECOND = 1_000_000;

describe('a timeline', () => {
  it('has a line for each event up to the violation, by time, and ends with what was found', () => {
    const events = [
      { atUs: 3 * SECOND, lane: 'client 10', text: 'got 2' },
      { atUs: SECOND, lane: 'faults', text: 'cut' },
      { atUs: 4 * SECOND, lane: 'client 10', text: 'got 3' },
    ];
    expect(timelineText(events, 3 * SECOND, 'O1: a gap').split('\n')).toEqual([
      '      -2.000 s  faults     cut',
      '       0.000 s  client 10  got 2',
      'O1: a gap',
      '',
    ]);
  });

  it('shows the last 60 events and counts the earlier ones', () => {
    const events = Array.from({ length: 100 }, (_, i) => ({ atUs: i, lane: 'store', text: `has ${i}` }));
    const lines = timelineText(events, 100, 'O1').split('\n');
    expect(lines[0]).toBe('40 earlier events are not shown');
    expect(lines[1]).toContain('has 40');
    expect(lines).toHaveLength(63);
  });
});
