import { describe, expect, it } from 'vitest';
import { addressMatcher } from '#src/connections/query.ts';

describe('an address filter', () => {
  it.each([
    ['10.0.0.0/8', '10.255.1.2', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.3', '10.1.2.4', false],
    ['2001:db8::/32', '2001:db8:1::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['10.0.0.0/8', '', false],
    ['0.0.0.0/0', '192.0.2.1', true],
  ])('%s and %s: %s', (range, address, isIn) => {
    expect(addressMatcher(range)?.(address)).toBe(isIn);
  });

  it.each(['10.0.0.0/33', '10.0.0/8', 'host', '10.0.0.0/', '10.0.0.0/-1', '::1/129', '10.0.0.0/8x'])(
    'refuses %s',
    text => {
      expect(() => addressMatcher(text)).toThrow('address must be an IP address or a range of them');
    },
  );
});
