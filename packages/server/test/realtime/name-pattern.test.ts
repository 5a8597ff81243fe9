import { describe, expect, it } from 'vitest';
import { NamePattern } from '#src/realtime/name-pattern.ts';

describe('a pattern of channel names', () => {
  it.each([
    ['*', 'public:a.b', true],
    ['public:*', 'public:a.b', true],
    ['public:*', 'private:a.b', false],
    ['public:a.?', 'public:a.b', true],
    ['public:a.?', 'public:a.bc', false],
    ['*.b', 'public:a.b', true],
    ['*a*b*', 'public:a.b', true],
    ['public:{a,c}.b', 'public:c.b', true],
    ['public:{a,c}.{x,b}', 'public:a.b', true],
    ['public:{a,c}.b', 'public:d.b', false],
    ['public:a{,.b}', 'public:a.b', true],
    ['public:a.b', 'public:a.b', true],
    ['public:a.b', 'public:a.b.c', false],
  ])('%s and %s: %s', (pattern, name, matches) => {
    expect(new NamePattern(pattern).matches(name)).toBe(matches);
  });

  it.each(['{a', 'a}', '{a{b}}', '{a,b}'.repeat(10), 'a'.repeat(257)])('%s is refused', pattern => {
    expect(() => NamePattern.check(pattern)).toThrow(/^pattern must/);
  });

  it('takes no more steps than pattern times name', () => {
    const pattern = new NamePattern(`${'*a'.repeat(120)}b`);
    expect(pattern.matches('a'.repeat(100_000))).toBe(false);
  });
});
