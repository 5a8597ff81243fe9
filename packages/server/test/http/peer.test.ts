import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { PeerAddress } from '#src/http/peer.ts';

const request = (remoteAddress: string, forwarded?: string) => {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress });
  const message = new IncomingMessage(socket);
  if (forwarded !== undefined) message.headers['x-forwarded-for'] = forwarded;
  return message;
};

describe('the address of a caller', () => {
  const peer = new PeerAddress(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']);

  test.each([
    ['203.0.113.1', '198.51.100.1', '203.0.113.1'],
    ['10.1.2.3', '198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['::ffff:10.1.2.3', ' 198.51.100.1 ', '198.51.100.1'],
    ['192.0.2.7', '2001:db8::9', '2001:db8::9'],
    ['192.0.2.8', '198.51.100.1', '192.0.2.8'],
    ['2001:db8::1', '198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', 'unknown', '10.1.2.3'],
    ['10.1.2.3', undefined, '10.1.2.3'],
    ['::ffff:203.0.113.1', undefined, '203.0.113.1'],
  ])('%s with %s is %s', (remote, forwarded, expected) => {
    expect(peer.of(request(remote, forwarded))).toBe(expected);
  });

  test('nobody is trusted by default', () => {
    expect(new PeerAddress([]).of(request('127.0.0.1', '198.51.100.1'))).toBe('127.0.0.1');
  });

  test.each(['10.0.0.0/33', 'proxy', '10.0.0.0/x', '2001:db8::/129', ''])('%s is no range', range => {
    expect(() => new PeerAddress([range])).toThrow(/observability\.trusted_proxies/);
  });
});
