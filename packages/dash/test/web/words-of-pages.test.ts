import { describe, expect, it } from 'vitest';
import { momentText } from '#src/render/words.ts';
import { suggestedId } from '#src/web/islands/suggested-id.ts';
import { moment, nameOf } from '#src/web/moments.ts';
import { requestParameters, settingsOf } from '#src/web/settings.ts';

const NOW = Date.parse('2026-11-22T14:00:00Z');
const before = (ms: number): string => momentText(NOW - ms, NOW);

describe('a moment', () => {
  it('is told as people do: by age for a day, then by its day', () => {
    expect(before(-5_000)).toBe('just now');
    expect(before(59_999)).toBe('just now');
    expect(before(60_000)).toBe('1 min ago');
    expect(before(3 * 3_600_000)).toBe('3 h ago');
    expect(before(24 * 3_600_000)).toBe('Nov 21');
    expect(before(400 * 24 * 3_600_000)).toBe('Oct 18, 2025');
  });

  it('has the exact time in UTC as its title', () => {
    expect(String(moment('2026-11-22T15:58:00+02:00', NOW))).toBe(
      '<time datetime="2026-11-22T13:58:00.000Z" title="2026-11-22 13:58:00 UTC">2 min ago</time>',
    );
    expect(String(moment('<b>', NOW))).toBe('<span>&lt;b&gt;</span>');
  });
});

it('an author is shown by name, and whole where the name is missing', () => {
  expect(nameOf('Mara Lindqvist <mara@example.org>')).toBe('Mara Lindqvist');
  expect(nameOf(' <a@b>')).toBe(' <a@b>');
  expect(nameOf('nobody')).toBe('nobody');
});

it.each([
  ['Checkout service', 'checkout-service'],
  ['  Größe & Höhe (2026)! ', 'große-hohe-2026'],
  ['../../etc/passwd', 'etc-passwd'],
  ['日本 売上', '日本-売上'],
  ['!!!', ''],
  ['a'.repeat(80), 'a'.repeat(60)],
])('the id for the title %j is %j', (title, id) => {
  expect(suggestedId(title)).toBe(id);
});

it('the revision of a page is `$at` for its items, and no setting', () => {
  const parameters = new URLSearchParams('at=abc&team=core&team=web');
  expect(String(requestParameters(parameters))).toBe('%24at=abc&team=core&team=web');
  for (const one of [parameters, requestParameters(parameters)])
    expect(settingsOf(one).overrides.map(({ address }) => address)).toEqual(['team', 'team']);
});
