import { describe, expect, test } from 'vitest';
import { bearerToken } from '#src/auth/access/bearer.ts';

describe('the token of an Authorization header', () => {
  test.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER  abc ', 'abc'],
    ['Bearer a\u00a0b', 'a\u00a0b'],
    ['bearer a\u00a0b', 'a\u00a0b'],
  ])('%j holds %j', (header, token) => {
    expect(bearerToken(header)).toBe(token);
  });

  test.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer  ',
    'Bearer a b',
    'Bearer a\tb',
    'Basic abc',
    'abc',
  ])('%j holds none', header => {
    expect(bearerToken(header)).toBeUndefined();
  });
});
