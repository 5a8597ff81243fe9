import { describe, expect, it } from 'vitest';
import type { TimelineEvent } from '../../src/plan/timeline.ts';
import { MOST_BYTES, type ViewedRun, viewPage } from '../../src/view/page.ts';

const SECOND = 1_000_000;
const EVENTS: readonly TimelineEvent[] = [
  { atUs: 3 * SECOND, lane: 'client 10', text: 'got 2 in c', kind: 'publication' },
  { atUs: 3 * SECOND, lane: 'client 9', text: 'got 2 in c', kind: 'publication' },
  { atUs: SECOND, lane: 'faults', text: 'cut', kind: 'fault' },
  { atUs: 5 * SECOND, lane: 'client 10', text: 'got 3 in c', kind: 'publication' },
];
const RUN: ViewedRun = {
  oracle: 'O1',
  promise: 'offsets rise by exactly 1',
  observed: 'client 10 got <2> & 2',
  atUs: 3 * SECOND,
  facts: [['Seed', '7']],
  again: 'npm run sim -- replay x.json',
  events: EVENTS,
};

function rowsOf(page: string): string[] {
  return page.match(/<tr><td.*$/gm) ?? [];
}

describe('the page of a run', () => {
  const page = viewPage(RUN);

  it('says what was expected and what was observed, as text', () => {
    expect(page).toContain('<h1>O1 is broken at 3.000 s</h1>');
    expect(page).toContain('offsets rise by exactly 1');
    expect(page).toContain('client 10 got &lt;2&gt; &amp; 2');
    expect(page).toContain('<dt>Seed</dt><dd>7</dd>');
  });

  it('has a row and a mark for each event up to the violation, by time', () => {
    expect(rowsOf(page)).toEqual([
      '<tr><td class="num">-2.000<td>faults<td>cut',
      '<tr><td class="num">0.000<td>client 10<td>got 2 in c',
      '<tr><td class="num">0.000<td>client 9<td>got 2 in c</tbody></table>',
    ]);
    expect(page.match(/<use /g)).toHaveLength(3);
    expect(page).toContain('<use href="#m-fault" x="0.00%" y="11" data-i="0"/>');
  });

  it('has faults above clients, and clients by their numbers', () => {
    expect([...page.matchAll(/<li>([^<]+)<\/li>/g)].map(([, lane]) => lane)).toEqual([
      'faults',
      'client 9',
      'client 10',
    ]);
  });

  it('takes nothing from elsewhere', () => {
    expect(page).not.toMatch(/\b(?:https?:)?\/\/[a-z]|\bsrc=|@import|url\(|<link/i);
    expect(page).toContain("default-src 'none'");
  });

  it('keeps the last events of a long run, and counts the others', () => {
    const text = 'subscribed to public:sim.c3 (recovered) at 123 of aBcDeFgH, begun 110.186 ms before';
    const events = Array.from({ length: 20_000 }, (_, i) => ({ atUs: i, lane: `client ${i % 16}`, text }));
    const long = viewPage({ ...RUN, atUs: 19_999, events });
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(MOST_BYTES);
    const shown = rowsOf(long).length;
    expect(shown).toBeGreaterThan(500);
    expect(long).toContain(`${(20_000 - shown).toLocaleString('en-US')} earlier events are not shown.`);
    expect(rowsOf(long).at(-1)).toContain('<td class="num">0.000<td>client 15');
  });

  it('says so when no promise was broken', () => {
    const calm = viewPage({ ...RUN, oracle: '', events: [] });
    expect(calm).toContain('No promise was broken in 3.000 s');
    expect(rowsOf(calm)).toEqual([]);
  });
});
