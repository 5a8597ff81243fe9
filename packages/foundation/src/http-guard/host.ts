const HOST = /^(?<name>\[[0-9a-f:.]+\]|[^\s:/?#@[\]]+?)\.?(?::\d{0,5})?$/;
const IPV4 = /^(?:(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])(?:\.(?!$)|$)){4}$/;

/**
 * The name of a `Host` value, of a name or of an address: in lower case, without port and without the dot of the root,
 * an IPv6 address in its brackets. Undefined for other texts.
 */
export function hostName(value: string): string | undefined {
  return HOST.exec(value.trim().toLowerCase())?.groups?.['name'];
}

/** The address that a host name is, without brackets; undefined for a name. */
export function addressOf(name: string): string | undefined {
  if (IPV4.test(name)) return name;
  return name.startsWith('[') && URL.canParse(`http://${name}`) ? name.slice(1, -1) : undefined;
}

/** True for 127.0.0.0/8 and ::1, also as an IPv4 address inside IPv6. */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, '');
  return plain === '::1' || (plain.startsWith('127.') && IPV4.test(plain));
}

/** True for a host name that can only be this machine: `localhost`, names below it, and loopback addresses. */
export function isLoopbackName(name: string): boolean {
  const address = addressOf(name);
  if (address !== undefined) return isLoopbackAddress(address);
  return name === 'localhost' || name.endsWith('.localhost');
}
