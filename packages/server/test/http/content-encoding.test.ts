import { expect, it } from 'vitest';
import { preferredEncoding } from '#src/http/content-encoding.ts';

it.each([
  [undefined, ''],
  ['', ''],
  ['identity', ''],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['GZIP', 'gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['br; q=0.1, gzip', 'br'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['*;q=0', ''],
  ['br;q=x', ''],
])('accept-encoding %j is answered in %j', (accepted, expected) => {
  expect(preferredEncoding(accepted, ['br', 'gzip'])).toBe(expected);
});
