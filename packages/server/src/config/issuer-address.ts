import { isLoopbackName } from '@msg/foundation/http-guard';

/** True for an address of an identity provider that can be trusted: encrypted, or on this machine. */
export function isTrustworthy(address: string): boolean {
  const { protocol, hostname } = URL.parse(address) ?? { protocol: '', hostname: '' };
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackName(hostname));
}
