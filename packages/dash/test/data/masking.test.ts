import { describe, expect, it } from 'vitest';
import { Masking } from '#src/data/masking.ts';

const SECRET = 'c4n@ry/+ "tok"~9';

function masking(...secrets: string[]): Masking {
  const made = new Masking();
  for (const secret of secrets) made.add(secret);
  return made;
}

describe('a secret', () => {
  it.each([
    ['as it is', SECRET],
    ['inside a text', `got ${SECRET}, and ${SECRET}.`],
    ['in base64', Buffer.from(SECRET).toString('base64')],
    ['in base64 for addresses', Buffer.from(SECRET).toString('base64url')],
    ['in base64 behind a user name', Buffer.from(`u:${SECRET}`).toString('base64')],
    ['in base64 behind a longer one', Buffer.from(`us:${SECRET}!`).toString('base64')],
    ['URL-encoded', encodeURIComponent(SECRET)],
    ['URL-encoded in small letters', encodeURIComponent(SECRET).toLowerCase()],
    ['as a form field', new URLSearchParams([['t', SECRET]]).toString()],
    ['as JSON text', JSON.stringify({ t: SECRET })],
  ])('%s is masked', (_, text) => {
    const masked = masking('another-secret', SECRET).text(text);
    expect(masked).toContain('•••');
    for (const form of [SECRET, encodeURIComponent(SECRET), JSON.stringify(SECRET).slice(1, -1)])
      expect(masked.toLowerCase()).not.toContain(form.toLowerCase());
    expect(Buffer.from(masked, 'base64').toString()).not.toContain(SECRET);
  });

  it('with letters beyond ASCII is masked also where its bytes were read by another character set', () => {
    const secret = 'gr\u00fc\u00df-c4n@ry';
    const made = masking(secret);
    const read = [
      Buffer.from(secret, 'utf8').toString('latin1'),
      Buffer.from(secret, 'latin1').toString('utf8'),
    ];
    for (const text of [secret, ...read, ...read.map(word => Buffer.from(word).toString('base64'))])
      expect(made.text(text)).not.toMatch(/c4n@ry|YzRuQHJ5/);
  });

  it('is masked in keys, cells and numbers of rows, and rows without one stay as they are', () => {
    const made = masking(SECRET, '20261122');
    const clean = [{ a: 1, b: 'two', c: null }];
    expect(made.value(clean)).toBe(clean);
    const echoed = made.value({ rows: [{ [SECRET]: 1, n: 20261122, t: `x${SECRET}` }], n: 5 });
    expect(echoed).toEqual({ rows: [{ '•••': 1, n: '•••', t: 'x•••' }], n: 5 });
  });

  it('is masked before a text of an upstream is cut', () => {
    const text = masking(SECRET).upstream(`${'x'.repeat(290)}${SECRET}${'y'.repeat(100)}`);
    expect(text).toHaveLength(300);
    expect(text).not.toContain(SECRET.slice(0, 4));
  });

  it('is not masked when it has only three characters', () => {
    expect(masking('abc').text('abcabc')).toBe('abcabc');
  });
});
