import { BlockList, isIP } from 'node:net';

type Range = readonly [network: string, prefix: number];

/** IPv4 ranges that are not public unicast: IANA IPv4 Special-Purpose Address Registry, and multicast (RFC 5771). */
const SPECIAL_IPV4: readonly Range[] = [
  ['0.0.0.0', 8], // this network, RFC 791
  ['10.0.0.0', 8], // private, RFC 1918
  ['100.64.0.0', 10], // carrier-grade NAT, RFC 6598
  ['127.0.0.0', 8], // loopback, RFC 1122
  ['169.254.0.0', 16], // link-local, RFC 3927; metadata services of clouds
  ['172.16.0.0', 12], // private, RFC 1918
  ['192.0.0.0', 24], // protocol assignments, RFC 6890
  ['192.0.2.0', 24], // documentation, RFC 5737
  ['192.88.99.0', 24], // 6to4 relays, RFC 7526
  ['192.168.0.0', 16], // private, RFC 1918
  ['198.18.0.0', 15], // benchmarks, RFC 2544
  ['198.51.100.0', 24], // documentation, RFC 5737
  ['203.0.113.0', 24], // documentation, RFC 5737
  ['224.0.0.0', 4], // multicast, RFC 5771
  ['240.0.0.0', 4], // reserved, RFC 1112, with the broadcast address
];

/** IPv6 prefixes whose last 32 bits are an IPv4 address: IPv4-mapped and NAT64 (RFC 6052). */
const IPV4_PREFIXES = ['::ffff:', '64:ff9b::'] as const;

/** Global unicast: everything outside of it (loopback, unique local, link-local, multicast …) is not public. */
const GLOBAL_IPV6: Range = ['2000::', 3];

/** Ranges within global unicast that are not public: IANA IPv6 Special-Purpose Address Registry. */
const SPECIAL_IPV6: readonly Range[] = [
  ['2001::', 23], // protocol assignments, RFC 2928, with Teredo and benchmarks
  ['2001:db8::', 32], // documentation, RFC 3849
  ['2002::', 16], // 6to4, RFC 3056: leads to any IPv4 address
  ['3fff::', 20], // documentation, RFC 9637
];

const UNICAST = new BlockList();
UNICAST.addSubnet('0.0.0.0', 0, 'ipv4');
UNICAST.addSubnet(...GLOBAL_IPV6, 'ipv6');
for (const prefix of IPV4_PREFIXES) UNICAST.addSubnet(`${prefix}0.0.0.0`, 96, 'ipv6');

const SPECIAL = new BlockList();
for (const range of SPECIAL_IPV6) SPECIAL.addSubnet(...range, 'ipv6');
for (const [network, length] of SPECIAL_IPV4) {
  SPECIAL.addSubnet(network, length, 'ipv4');
  for (const prefix of IPV4_PREFIXES) SPECIAL.addSubnet(prefix + network, 96 + length, 'ipv6');
}

/**
 * Whether an IP address is public unicast. An IPv4-mapped or NAT64 address is as public as its IPv4 address. False for a
 * text that is not an IP address.
 */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 0 || address.includes('%')) return false; // an address with a zone is link-local
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return UNICAST.check(address, family) && !SPECIAL.check(address, family);
}
