import type { IncomingMessage } from 'node:http';
import { MsgError } from '@msg/core';
import { hostName, isLoopbackName } from '@msg/foundation/http-guard';

/**
 * What the `Host` of a request means:
 * - `allowed`: a name of the service;
 * - `foreign`: another name, which was rebound to this address;
 * - `doubled`: more than one header, of which a proxy may have checked another.
 */
export type HostDecision = 'allowed' | 'foreign' | 'doubled';

/** Status and text of the answer to a request whose `Host` is not allowed. */
export const HOST_REFUSALS: Readonly<Record<Exclude<HostDecision, 'allowed'>, HostDenial>> = {
  foreign: { status: 403, text: 'the Host is not a name of this service: server.allowed_hosts adds names' },
  doubled: { status: 400, text: 'a request must have one Host' },
};

export interface HostDenial {
  readonly status: number;
  readonly text: string;
}

const ENTRY = /^(?:\*\.)?(?:\[[0-9a-f:.]{2,}\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)(?::\d{1,5})?$/i;

function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}

/** The one rule about `Host` (messaging details 17, `server.allowed_hosts`). */
export class Hosts {
  readonly #exact = new Set<string>();
  readonly #suffixes: string[] = [];
  readonly #isConfigured: boolean;
  #allowsAny: boolean;
  #hasListener = false;
  /** The last decision: most requests have the same host. */
  #last = { host: '', allowed: false };

  /**
   * @param entries names besides those of the loopback interface: `example.com`, `*.example.com`; absent, or with
   * `*`: any name
   * @throws MsgError MSG_INVALID_ARGUMENT for an entry that is not a name
   */
  constructor(entries: readonly string[] | undefined) {
    this.#isConfigured = entries !== undefined;
    this.#allowsAny = entries === undefined || entries.includes('*');
    for (const entry of entries ?? []) if (entry !== '*') this.#add(entry);
  }

  /**
   * Adds the names of a listener of the service; `undefined`: any. Without configured names, those of all listeners
   * count.
   */
  addListener(names: readonly string[] | undefined): void {
    if (this.#isConfigured) return;
    this.#allowsAny = names === undefined || (this.#hasListener && this.#allowsAny);
    this.#hasListener = true;
    this.#last = { host: '', allowed: false };
    for (const name of names ?? []) this.#add(name);
  }

  #add(entry: string): void {
    if (!ENTRY.test(entry)) {
      const display = JSON.stringify(entry.slice(0, 200));
      const text = `server.allowed_hosts must hold names as example.com, *.example.com or *; got ${display}`;
      throw new MsgError('MSG_INVALID_ARGUMENT', text);
    }
    const isWildcard = entry.startsWith('*.');
    const name = hostName(isWildcard ? entry.slice(2) : entry) ?? '';
    if (isWildcard) this.#suffixes.push(`.${name}`);
    else this.#exact.add(name);
  }

  /** What the `Host` of a request means. A request without one comes from no browser. */
  decide(request: IncomingMessage): HostDecision {
    const { host } = request.headers;
    if (host === undefined) return 'allowed';
    if (countHosts(request) > 1) return 'doubled';
    if (this.#allowsAny) return 'allowed';
    if (host !== this.#last.host) this.#last = { host, allowed: this.#allows(hostName(host)) };
    return this.#last.allowed ? 'allowed' : 'foreign';
  }

  #allows(name: string | undefined): boolean {
    if (name === undefined) return false;
    return (
      isLoopbackName(name) || this.#exact.has(name) || this.#suffixes.some(suffix => name.endsWith(suffix))
    );
  }
}
