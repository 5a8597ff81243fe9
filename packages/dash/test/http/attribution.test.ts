import { describe, expect, it } from 'vitest';
import { readUserHeader, userFrom } from '#src/http/attribution.ts';

describe('the name of the user', () => {
  const header = readUserHeader('X-User', '10.1.0.0/16');

  it('comes from a proxy in the trusted network, once and not blank', () => {
    expect(userFrom(header, '10.1.2.3', { 'x-user': ['Ada'] })).toBe('Ada');
    expect(userFrom(header, '::ffff:10.1.2.3', { 'x-user': ['Ada'] })).toBe('Ada');
    expect(userFrom(readUserHeader('X-User', 'fd00::/8'), 'fd00::1', { 'x-user': ['Ada'] })).toBe('Ada');
    expect(userFrom(header, '10.1.2.3', { 'x-user': ['Ada', 'Bob'] })).toBeUndefined();
    expect(userFrom(header, '10.1.2.3', { 'x-user': [' '] })).toBeUndefined();
    expect(userFrom(header, '10.1.2.3', {})).toBeUndefined();
  });

  it('is ignored from anyone else', () => {
    for (const address of ['10.2.0.1', '127.0.0.1', '::1', undefined, 'unix']) {
      expect(userFrom(header, address, { 'x-user': ['root'] })).toBeUndefined();
    }
    expect(userFrom(undefined, '10.1.2.3', { 'x-user': ['root'] })).toBeUndefined();
  });
});
