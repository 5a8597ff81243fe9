import { describe, expect, it } from 'vitest';
import { addressOf, hostName, isLoopbackAddress, isLoopbackName } from '#src/http-guard/host.ts';

describe('the name of a Host', () => {
  it.each([
    ['App.Example', 'app.example'],
    ['app.example:443', 'app.example'],
    ['app.example.:443', 'app.example'],
    ['app.example:', 'app.example'],
    ['[::1]:80', '[::1]'],
    [' 127.0.0.1:8000 ', '127.0.0.1'],
  ])('of %j is %j', (host, name) => expect(hostName(host)).toBe(name));

  it.each(['', ':80', 'a b', 'a/b', 'user@a', '[::1', '::1', 'a:1:2', 'a#b', 'a?b', 'a:123456'])(
    '%j has none',
    host => expect(hostName(host)).toBeUndefined(),
  );
});

describe('an address', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['[2001:db8::1]', '2001:db8::1'],
  ])('%s is one', (name, address) => expect(addressOf(name)).toBe(address));

  it.each(['1.2.3', '1.2.3.4.5', '256.1.1.1', '01.2.3.4', 'a.example', '[zz]', '[1.2.3.4]', '::1'])(
    '%s is not one',
    name => expect(addressOf(name)).toBeUndefined(),
  );
});

it.each([
  ['127.0.0.1', true],
  ['127.255.0.1', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['::FFFF:127.0.0.1', true],
  ['127.1', false],
  ['0.0.0.0', false],
  ['::', false],
  ['128.0.0.1', false],
  ['::ffff:10.0.0.1', false],
  ['127.evil', false],
])('%s is loopback: %s', (address, expected) => expect(isLoopbackAddress(address)).toBe(expected));

describe('a host that can only be this machine', () => {
  it.each(['localhost', 'app.localhost', '127.9.9.9', '[::1]', '[::ffff:127.0.0.1]'])('is %s', name =>
    expect(isLoopbackName(name)).toBe(true),
  );

  it.each(['evillocalhost', 'localhost.example', '10.0.0.1', '[::2]', '127.0.0.1.example'])(
    'is not %s',
    name => expect(isLoopbackName(name)).toBe(false),
  );
});
