import { describe, expect, it } from 'vitest';
import { isSameHost, isSameHostname } from '#src/http-guard/origin.ts';

describe('the host of an origin', () => {
  it.each([
    ['https://app.example', 'APP.example', true],
    ['http://app.example:8000', 'app.example:8000', true],
    ['http://app.example:8000', 'app.example', false],
    ['http://app.example', 'app.example:8000', false],
    ['http://app.example.evil', 'app.example', false],
  ])('of %s is that of %s with its port: %s', (origin, host, same) => {
    expect(isSameHost(new URL(origin), host)).toBe(same);
  });

  it.each([
    ['https://app.example', 'app.example:4433', true],
    ['https://app.example:1', 'APP.example:2', true],
    ['https://app.example', 'evil.example', false],
    ['https://app.example', '', false],
    ['https://app.example', 'a b', false],
    ['data:text/plain,x', '', false],
  ])('of %s is that of %s whatever its port: %s', (origin, authority, same) => {
    expect(isSameHostname(new URL(origin), authority)).toBe(same);
  });
});
