import { BlockList, isIP } from 'node:net';
import { display } from '../document/display.ts';
import { invocationError } from './request-error.ts';

/** A header in which a proxy names the user, and the network that the proxy is in. It does not control access. */
export interface UserHeader {
  readonly name: string;
  readonly network: BlockList;
}

/** @throws DashError SERVE_INVALID for one without the other, and for a value that names neither. */
export function readUserHeader(
  name: string | undefined,
  network: string | undefined,
): UserHeader | undefined {
  if (name === undefined && network === undefined) return undefined;
  if (name === undefined || network === undefined) {
    throw invocationError('--user-header and --trust-proxy must be set together; got one of them.');
  }
  if (!/^[\w-]+$/.test(name)) {
    throw invocationError(`--user-header must be the name of a header; got "${display(name)}".`);
  }
  return { name: name.toLowerCase(), network: readNetwork(network) };
}

/** The user that the header names, when the connection comes from the proxy's network; from anyone else it is ignored. */
export function userFrom(
  header: UserHeader | undefined,
  remoteAddress: string | undefined,
  headers: Readonly<Record<string, string[] | undefined>>,
): string | undefined {
  const address = withoutMapping(remoteAddress ?? '');
  const family = isIP(address);
  if (header === undefined || family === 0) return undefined;
  if (!header.network.check(address, family === 6 ? 'ipv6' : 'ipv4')) return undefined;
  const values = headers[header.name] ?? [];
  const [user = ''] = values;
  return values.length === 1 && user.trim() !== '' ? user : undefined;
}

/** An IPv4 address that a socket for both families shows as IPv6. */
function withoutMapping(address: string): string {
  const inner = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : '';
  return isIP(inner) === 4 ? inner : address;
}

function readNetwork(text: string): BlockList {
  const [address = '', prefix = ''] = text.split('/');
  const family = isIP(address);
  const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (family === 0 || !(bits <= (family === 6 ? 128 : 32))) {
    throw invocationError(`--trust-proxy must be a network such as 10.0.0.0/8; got "${display(text)}".`);
  }
  const network = new BlockList();
  network.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4');
  return network;
}
