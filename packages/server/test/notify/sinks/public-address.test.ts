import { describe, expect, test } from 'vitest';
import { isPublicAddress } from '#src/notify/sinks/webhook/public-address.ts';

/** First and last address of each range, and what is special within. */
const REFUSED: readonly (readonly [string, readonly string[]])[] = [
  ['this network', ['0.0.0.0', '0.255.255.255']],
  [
    'private',
    ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
  ],
  ['carrier-grade NAT', ['100.64.0.0', '100.100.100.200', '100.127.255.255']],
  ['loopback', ['127.0.0.0', '127.0.0.1', '127.255.255.255', '::1']],
  [
    'link-local',
    ['169.254.0.0', '169.254.169.254', '169.254.255.255', 'fe80::', 'fe80::1%eth0', 'febf:ffff::1'],
  ],
  ['protocol assignments', ['192.0.0.0', '192.0.0.8', '192.0.0.255', '2001::', '2001:1ff:ffff::1']],
  [
    'documentation',
    ['192.0.2.1', '198.51.100.255', '203.0.113.0', '2001:db8::1', '3fff::1', '3fff:fff:ffff::1'],
  ],
  [
    'relays and tunnels',
    ['192.88.99.1', '2002:808:808::1', '2002:7f00:1::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ],
  ['benchmarks', ['198.18.0.0', '198.19.255.255', '2001:2::1']],
  ['multicast', ['224.0.0.0', '239.255.255.255', 'ff02::1', 'ff0e::1']],
  [
    'reserved and broadcast',
    ['240.0.0.0', '255.255.255.254', '255.255.255.255', '4000::1', 'e000::1', '100::1'],
  ],
  ['unspecified', ['::', '0.0.0.0']],
  ['unique local', ['fc00::1', 'fd00:ec2::254', 'fdff:ffff::1']],
  ['site-local', ['fec0::1']],
  [
    'IPv4-mapped',
    ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '::ffff:0.0.0.0', '::ffff:100.64.0.1'],
  ],
  ['IPv4-compatible', ['::127.0.0.1', '::10.0.0.1', '::8.8.8.8']],
  ['IPv4-translated', ['::ffff:0:10.0.0.1', '::ffff:0:8.8.8.8']],
  [
    'NAT64',
    ['64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b::c0a8:1', '64:ff9b:1::1', '64:ff9b:1::8.8.8.8'],
  ],
  [
    'no address',
    ['', 'localhost', '127.1', '0x7f000001', '2130706433', '8.8.8.8:80', '[2606:4700::1]', '8.8.8'],
  ],
];

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2a00:1450:4001:82a::200e',
  '3ffe::1',
  '3fff:1000::1',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
  '64:ff9b::8.8.8.8',
  '64:ff9b::808:808',
];

describe('an address that is not public unicast', () => {
  test.each(REFUSED)('%s: %j', (_, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});

test('addresses of the internet are public, also those that border on special ranges', () => {
  expect(PUBLIC.filter(address => !isPublicAddress(address))).toEqual([]);
});
