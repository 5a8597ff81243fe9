import { describe, expect, test } from 'vitest';
import { VerifiedToken } from '#src/auth/tokens/claims.ts';
import { TokenCache } from '#src/auth/tokens/token-cache.ts';

const SIGNATURE = 'abcdefghijklmnopqrstuvwxyz0123456789-_ABCDE';
const token = (sub: string) =>
  new VerifiedToken({ sub, typ: 'access', iat: 0, exp: 1, jti: sub, iss: '' } as never, 'key', 'print');

describe('the cache of good signatures', () => {
  const text = `header.payload.${SIGNATURE}`;

  test('finds a token by its whole text', () => {
    const cache = new TokenCache(2, 7);
    const known = token('a');
    cache.remember(text, known);
    expect(cache.find(text)).toBe(known);
    expect(new TokenCache(2, 7).find(text)).toBeUndefined();
  });

  test('any changed character misses', () => {
    const cache = new TokenCache(2, 7);
    cache.remember(text, token('a'));
    for (let index = 0; index < text.length; index++) {
      const changed = `${text.slice(0, index)}${text[index] === 'x' ? 'y' : 'x'}${text.slice(index + 1)}`;
      expect(cache.find(changed)).toBeUndefined();
    }
    for (const other of [`${text}x`, text.slice(0, -1), text.slice(0, 20), '', '.']) {
      expect(cache.find(other)).toBeUndefined();
    }
  });

  test('remembers at most as many as asked, the newest, and nothing of texts without a signature', () => {
    const cache = new TokenCache(2, 7);
    const texts = ['a', 'b', 'c'].map(name => `${name}.payload.${SIGNATURE}`);
    for (const each of texts) cache.remember(each, token(each));
    expect(texts.map(each => cache.find(each) !== undefined)).toEqual([false, true, true]);
    cache.remember('a.b.short', token('short'));
    expect(cache.find('a.b.short')).toBeUndefined();
    const off = new TokenCache(0, 7);
    off.remember(text, token('a'));
    expect(off.find(text)).toBeUndefined();
  });
});
