import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ClientAddress } from '#src/http/client-address.ts';

const request = (remoteAddress: string, forwardedFor?: string, forwarded?: string) => {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress });
  const message = new IncomingMessage(socket);
  if (forwardedFor !== undefined) message.headers['x-forwarded-for'] = forwardedFor;
  if (forwarded !== undefined) message.headers.forwarded = forwarded;
  return message;
};

describe('the address of a caller', () => {
  const peer = new ClientAddress(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']);

  test.each([
    ['203.0.113.1', '198.51.100.1', '203.0.113.1'],
    ['10.1.2.3', '198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['::ffff:10.1.2.3', ' 198.51.100.1 ', '198.51.100.1'],
    ['192.0.2.7', '2001:db9::9', '2001:db9::9'],
    ['192.0.2.8', '198.51.100.1', '192.0.2.8'],
    ['2001:db8::1', '198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', '6.6.6.6, 198.51.100.1, 10.9.9.9,192.0.2.7', '198.51.100.1'],
    ['10.1.2.3', '6.6.6.6, unknown', '10.1.2.3'],
    ['10.1.2.3', '6.6.6.6, unknown, 10.9.9.9', '10.1.2.3'],
    ['10.1.2.3', '10.9.9.9, 10.8.8.8', '10.1.2.3'],
    ['10.1.2.3', '6.6.6.6, 198.51.100.1:4711', '198.51.100.1'],
    ['10.1.2.3', '6.6.6.6, [2001:db9::9]:4711, ::ffff:10.1.1.1', '2001:db9::9'],
    ['10.1.2.3', ',', '10.1.2.3'],
    ['10.1.2.3', '', '10.1.2.3'],
    ['10.1.2.3', 'unknown', '10.1.2.3'],
    ['10.1.2.3', undefined, '10.1.2.3'],
    ['::ffff:203.0.113.1', undefined, '203.0.113.1'],
  ])('%s with %s is %s', (remote, forwarded, expected) => {
    expect(peer.of(request(remote, forwarded))).toBe(expected);
  });

  test.each([
    ['for=198.51.100.1', '198.51.100.1'],
    ['for=6.6.6.6, for=198.51.100.1;proto=https;by=10.1.1.1, for=10.9.9.9', '198.51.100.1'],
    ['for=6.6.6.6, By=10.1.1.1; For="[2001:db9::9]:4711"', '2001:db9::9'],
    ['for="198.51.100.1:80";host="a,for=6.6.6.6;b\\""', '198.51.100.1'],
    ['for=6.6.6.6, for=_hidden', '10.1.2.3'],
    ['for=6.6.6.6, proto=https', '10.1.2.3'],
    ['for=6.6.6.6, for=", for=198.51.100.1', '10.1.2.3'],
    ['for=10.9.9.9', '10.1.2.3'],
    ['', '10.1.2.3'],
  ])('Forwarded: %s means %s', (forwarded, expected) => {
    expect(peer.of(request('10.1.2.3', undefined, forwarded))).toBe(expected);
    expect(peer.of(request('203.0.113.1', undefined, forwarded))).toBe('203.0.113.1');
  });

  test('when the two headers differ, neither is believed: a client wrote one of them', () => {
    const of = (forwardedFor: string, forwarded: string) =>
      peer.of(request('10.1.2.3', forwardedFor, forwarded));
    expect(of('198.51.100.1', 'for=198.51.100.1')).toBe('198.51.100.1');
    expect(of('198.51.100.1', 'for=6.6.6.6')).toBe('10.1.2.3');
    expect(of('198.51.100.1', 'for=unknown')).toBe('198.51.100.1');
    expect(of('unknown', 'for=198.51.100.1')).toBe('198.51.100.1');
  });

  test('no proxy is trusted by default', () => {
    expect(new ClientAddress([]).of(request('127.0.0.1', '198.51.100.1'))).toBe('127.0.0.1');
  });

  test.each(['10.0.0.0/33', 'proxy', '10.0.0.0/x', '2001:db8::/129', ''])('%s is not a range', range => {
    expect(() => new ClientAddress([range])).toThrow(/observability\.trusted_proxies/);
  });
});
