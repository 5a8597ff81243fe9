import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { MsgError } from '@msg/core';
import { plainAddress, rightmostForwarded, rightmostForwardedFor, rightmostProto } from './forwarded.ts';

/** The entry of a list that the nearest proxy wrote. */
function lastOf(list: string): string {
  return list.slice(list.lastIndexOf(',') + 1).trim();
}

function family(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address);
  return version === 4 ? 'ipv4' : version === 6 ? 'ipv6' : undefined;
}

/**
 * Finds the address of callers: the TCP peer, or, if that is a trusted proxy, the rightmost untrusted entry of
 * `X-Forwarded-For` or `Forwarded`. Source: messaging details 11.2.
 */
export class ClientAddress {
  readonly #trusted = new BlockList();
  readonly #any: boolean;

  /**
   * @param proxies CIDR ranges, or single addresses
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
      const text = `observability.trusted_proxies: must be IP addresses or CIDR ranges; got ${JSON.stringify(proxy)}`;
      throw new MsgError('MSG_INVALID_ARGUMENT', text);
    }
    this.#trusted.addSubnet(address, length, kind);
  }

  /** The caller of a request. */
  of(request: IncomingMessage): string {
    const remote = plainAddress(request.socket.remoteAddress ?? '');
    if (!this.#any || !this.#isTrusted(remote)) return remote;
    const { 'x-forwarded-for': list, forwarded: elements } = request.headers;
    const isTrusted = (address: string): boolean => this.#isTrusted(address);
    // Node joins repeated field lines with a comma.
    const entry = typeof list === 'string' ? rightmostForwardedFor(list, isTrusted) : undefined;
    const element = elements === undefined ? undefined : rightmostForwarded(elements, isTrusted);
    // A proxy writes one of the two headers and forwards the other: if they differ, the client wrote one of them.
    if (entry !== undefined && element !== undefined && entry !== element) return remote;
    return entry ?? element ?? remote;
  }

  /** Whether the TCP peer is a trusted proxy that says it was called over HTTPS. */
  saysHttps({ socket, headers }: IncomingMessage): boolean {
    if (!this.#any || !this.#isTrusted(plainAddress(socket.remoteAddress ?? ''))) return false;
    const { 'x-forwarded-proto': scheme, forwarded } = headers;
    const said = [
      typeof scheme === 'string' ? lastOf(scheme) : undefined,
      forwarded === undefined ? undefined : rightmostProto(forwarded),
    ].filter(value => value !== undefined);
    // A proxy writes one of the two headers and forwards the other: if they differ, the client wrote one of them.
    return said.length > 0 && said.every(value => value.toLowerCase() === 'https');
  }

  #isTrusted(address: string): boolean {
    const kind = family(address);
    return kind !== undefined && this.#trusted.check(address, kind);
  }
}
