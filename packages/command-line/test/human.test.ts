import { describe, expect, it } from 'vitest';
import { type HumanForm, humanText } from '#src/output/human.ts';
import { cutText, safeText, textWidth } from '#src/output/safe-text.ts';
import { PLAIN, styleFor } from '#src/output/style.ts';
import { relativeTime } from '#src/output/time.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const form = (width: number, more: Partial<HumanForm> = {}): HumanForm => ({
  width,
  wide: false,
  style: PLAIN,
  now: NOW,
  ...more,
});

const CHANNELS = {
  channels: [
    {
      name: 'public:shop.news',
      state: 'open',
      note: 'a long remark that nobody needs to the letter',
      last_active: '2026-11-22T11:57:00Z',
    },
    { name: 'public:shop.status', state: 'closed', note: '', last_active: '2026-11-20T12:00:00Z' },
  ],
};

describe('a list of records', () => {
  it('is a table with relative times', () => {
    expect(humanText(CHANNELS, form(200))).toBe(
      [
        'name                state   note                                           last_active',
        'public:shop.news    open    a long remark that nobody needs to the letter  3 min ago',
        'public:shop.status  closed  -                                              2 d ago',
        '',
      ].join('\n'),
    );
  });

  it('is cut to the width, but for names', () => {
    expect(humanText(CHANNELS, form(60))).toBe(
      [
        'name                state   note                 last_active',
        'public:shop.news    open    a long remark that…  3 min ago',
        'public:shop.status  closed  -                    2 d ago',
        '',
      ].join('\n'),
    );
  });

  it('stands record by record where a table has no room, and nothing is cut then', () => {
    expect(humanText(CHANNELS, form(40))).toBe(
      [
        'name         public:shop.news',
        'state        open',
        'note         a long remark that nobody',
        '             needs to the letter',
        'last_active  3 min ago',
        '',
        'name         public:shop.status',
        'state        closed',
        'note         -',
        'last_active  2 d ago',
        '',
      ].join('\n'),
    );
  });

  it('has everything and absolute times in the wide form', () => {
    const text = humanText(CHANNELS, form(40, { wide: true }));
    expect(text).toContain('a long remark that nobody needs to the letter  2026-11-22T11:57:00.000Z\n');
  });

  it('without entries says so, and how to make one', () => {
    expect(humanText({ channels: [] }, form(80, { empty: { channels: 'no channels; open one' } }))).toBe(
      'no channels; open one\n',
    );
    expect(humanText({ items: [] }, form(80))).toBe('no items\n');
    const narrow = form(20, { empty: { items: 'no items; make one: msg items create' } });
    expect(humanText({ items: [] }, narrow)).toBe('no items; make one:\nmsg items create\n');
    expect(humanText({ items: [] }, { ...narrow, wide: true })).toBe(
      'no items; make one: msg items create\n',
    );
    expect(humanText({ sink: 'orders', items: [] }, form(80, { empty: { items: 'none yet' } }))).toBe(
      'sink   orders\nitems  none yet\n',
    );
    expect(humanText({}, form(80))).toBe('done\n');
  });
});

describe('other results', () => {
  it('are labelled lines, nested ones below their name', () => {
    const payload = { ok: true, tags: ['a', 'b'], none: null, limits: { bytes: 10 }, keys: [{ id: 'k-1' }] };
    expect(humanText(payload, form(80))).toBe(
      ['ok    true', 'tags  a, b', 'none  -', 'limits', '  bytes  10', 'keys', '  id', '  k-1', ''].join(
        '\n',
      ),
    );
  });

  it('records by name are a table of their own', () => {
    const settings = { a: { value: 1, source: 'default' }, b: { value: { c: [2] }, source: 'file' } };
    expect(humanText({ settings }, form(80))).toBe(
      ['name  value      source', 'a     1          default', 'b     {"c":[2]}  file', ''].join('\n'),
    );
  });

  it('tokens are whole at any width', () => {
    const access_token = 'x'.repeat(300);
    expect(
      humanText({ access_token, rows: [{ key: access_token, n: 1 }] }, form(40)).split(access_token),
    ).toHaveLength(3);
  });

  it('seconds of Unix time are times', () => {
    const payload = { expires_unix: NOW / 1000 + 300, other_unix: 0 };
    expect(humanText(payload, form(80))).toBe('expires_unix  in 5 min\nother_unix    0\n');
  });
});

describe('texts of the outside', () => {
  it('cannot steer the terminal', () => {
    const text = humanText({ '\u001b[2J': '\u001b]0;x\u0007\u202e\u009b' }, form(80));
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(safeText('a\nb\u0085')).toBe('a\\nb\\u0085');
  });

  it('are measured as a terminal shows them', () => {
    expect(['漢字', '😀', 'e\u0301'].map(textWidth)).toEqual([4, 2, 1]);
    expect(cutText('漢字漢字', 5)).toBe('漢字…');
  });
});

it.each([
  [0, 'now'],
  [-1500, '1 s ago'],
  [-3 * 60_000, '3 min ago'],
  [26 * 3_600_000, 'in 1 d'],
  [2 * 3_600_000, 'in 2 h'],
])('%d ms from now is %s', (ms, text) => {
  expect(relativeTime(NOW + ms, NOW)).toBe(text);
});

describe('colour', () => {
  const coloured = (env: Record<string, string>, isTerminal = true, noColor = false) =>
    styleFor({ env, isTerminal, noColor }).error('x') !== 'x';

  it.each([
    ['a terminal', coloured({}), true],
    ['a pipe', coloured({}, false), false],
    ['NO_COLOR', coloured({ NO_COLOR: '1' }), false],
    ['an empty NO_COLOR', coloured({ NO_COLOR: '' }), true],
    ['TERM=dumb', coloured({ TERM: 'dumb' }), false],
    ['FORCE_COLOR in a pipe', coloured({ FORCE_COLOR: '1', NO_COLOR: '1' }, false), true],
    ['FORCE_COLOR=0', coloured({ FORCE_COLOR: '0' }), false],
    ['--no-color', coloured({ FORCE_COLOR: '1' }, true, true), false],
  ])('%s', (_what, has, expected) => {
    expect(has).toBe(expected);
  });
});
