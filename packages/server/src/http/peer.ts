import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { MsgError } from '@msg/core';

/** An IPv4 address that a dual-stack socket shows as IPv6 is shown as IPv4. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}

function family(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address);
  return version === 4 ? 'ipv4' : version === 6 ? 'ipv6' : undefined;
}

/**
 * Finds the address of callers: the TCP peer, or, when that is a trusted proxy, the leftmost entry of
 * `X-Forwarded-For`. Source: messaging details 11.2.
 */
export class PeerAddress {
  readonly #trusted = new BlockList();
  readonly #any: boolean;

  /**
   * @param proxies CIDR ranges; a bare address stands for itself
   * @throws MsgError MSG_INVALID_ARGUMENT
   */
  constructor(proxies: readonly string[]) {
    this.#any = proxies.length > 0;
    for (const proxy of proxies) this.#trust(proxy);
  }

  #trust(proxy: string): void {
    const [address = '', prefix] = proxy.split('/');
    const kind = family(address);
    const longest = kind === 'ipv4' ? 32 : 128;
    const length = prefix === undefined ? longest : /^\d+$/.test(prefix) ? Number(prefix) : -1;
    if (kind === undefined || length < 0 || length > longest) {
      const text = `observability.trusted_proxies: ${JSON.stringify(proxy)} is no address range`;
      throw new MsgError('MSG_INVALID_ARGUMENT', text);
    }
    this.#trusted.addSubnet(address, length, kind);
  }

  /** The caller of a request. */
  of(request: IncomingMessage): string {
    const peer = plain(request.socket.remoteAddress ?? '');
    if (!this.#any) return peer;
    const kind = family(peer);
    if (kind === undefined || !this.#trusted.check(peer, kind)) return peer;
    const forwarded = request.headers['x-forwarded-for'];
    const first = (Array.isArray(forwarded) ? forwarded[0] : forwarded)?.split(',', 1)[0]?.trim() ?? '';
    return isIP(first) === 0 ? peer : plain(first);
  }
}
