import { BlockList, isIPv6 } from 'node:net';

/** Addresses of no single machine, of the same link, and those where clouds hand out credentials (page and review 5.1). */
const FORBIDDEN_V4: readonly (readonly [network: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['255.255.255.255', 32],
];
const FORBIDDEN_V6: readonly (readonly [network: string, bits: number])[] = [
  ['::', 128],
  ['fe80::', 10],
  ['ff00::', 8],
  ['fd00:ec2::254', 128],
];
/** Networks of IPv6 with an IPv4 address inside, and how many bits come before it. */
const EMBEDDING: readonly (readonly [write: (v4: string) => string, before: number])[] = [
  [v4 => `::ffff:${v4}`, 96],
  [v4 => `64:ff9b::${v4}`, 96],
  [v4 => `2002:${hexOf(v4)}::`, 16],
];

const forbidden = new BlockList();
for (const [network, bits] of FORBIDDEN_V4) {
  forbidden.addSubnet(network, bits, 'ipv4');
  for (const [write, before] of EMBEDDING) forbidden.addSubnet(write(network), before + bits, 'ipv6');
}
for (const [network, bits] of FORBIDDEN_V6) forbidden.addSubnet(network, bits, 'ipv6');

/** True for an unspecified, multicast, link-local or metadata address, however it is embedded. */
export function isForbidden(address: string): boolean {
  const [bare = ''] = address.split('%');
  return forbidden.check(bare, isIPv6(bare) ? 'ipv6' : 'ipv4');
}

function hexOf(v4: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = v4.split('.').map(Number);
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}
