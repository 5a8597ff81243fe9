import type { IncomingMessage } from 'node:http';
import { MsgError } from '@msg/core';
import { isLoopbackName, isSameHost, isSameHostname } from '@msg/foundation/http-guard';
import { LOOPBACK_ORIGINS } from '../config/loopback-origins.ts';

/**
 * What an `Origin` header means for a request:
 * - `none`: no header, or the service's own host;
 * - `listed`: a foreign origin on the allow-list, with credentials;
 * - `any`: a foreign origin allowed by `*`, without credentials;
 * - `refused`: a foreign origin that is not listed.
 */
export type OriginDecision = 'none' | 'listed' | 'any' | 'refused';

interface Wildcard {
  /** `https://` */
  readonly scheme: string;
  /** `.example.com`, with the port if one was given. */
  readonly suffix: string;
}

function invalid(entry: string): MsgError {
  const text = `server.allowed_origins: must be https://host[:port], https://*.host, loopback or *; got ${JSON.stringify(entry)}`;
  return new MsgError('MSG_INVALID_ARGUMENT', text);
}

/** The one allow-list of browser origins. Source: messaging details 3.2, "Origins and CORS". */
export class Origins {
  readonly #exact = new Set<string>();
  readonly #wildcards: Wildcard[] = [];
  /** `*` is listed: any origin. */
  readonly allowsAny: boolean;
  readonly #allowsLoopback: boolean;

  /** @throws MsgError MSG_INVALID_ARGUMENT for an entry that is neither origin, host wildcard `loopback` nor `*`. */
  constructor(entries: readonly string[]) {
    this.allowsAny = entries.includes('*');
    this.#allowsLoopback = entries.includes(LOOPBACK_ORIGINS);
    for (const entry of entries) if (entry !== '*' && entry !== LOOPBACK_ORIGINS) this.#add(entry);
  }

  #add(entry: string): void {
    const wildcard = /^(https?:\/\/)\*(\.[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d+)?)$/i.exec(entry);
    if (wildcard !== null) {
      const [, scheme = '', suffix = ''] = wildcard;
      this.#wildcards.push({ scheme: scheme.toLowerCase(), suffix: suffix.toLowerCase() });
      return;
    }
    if (entry.includes('*') || !URL.canParse(entry) || !/^https?:\/\/[^/]+\/?$/i.test(entry))
      throw invalid(entry);
    this.#exact.add(new URL(entry).origin);
  }

  /** Decides about the origin of a request. */
  decide(request: IncomingMessage): OriginDecision {
    const { origin, host } = request.headers;
    return this.#decide(origin, url => host !== undefined && isSameHost(url, host));
  }

  /** Decides about an origin for a listener with its own port: ports are not compared. */
  decideHost(origin: string | undefined, authority: string): OriginDecision {
    return this.#decide(origin, url => isSameHostname(url, authority));
  }

  #decide(origin: string | undefined, isOwn: (url: URL) => boolean): OriginDecision {
    if (origin === undefined) return 'none';
    const url = URL.parse(origin);
    if (url === null) return this.allowsAny ? 'any' : 'refused';
    if (isOwn(url)) return 'none';
    if (this.#exact.has(url.origin)) return 'listed';
    if (this.#allowsLoopback && isLoopbackName(url.hostname)) return 'listed';
    const matches = this.#wildcards.some(
      ({ scheme, suffix }) =>
        url.origin.startsWith(scheme) &&
        url.origin.length > scheme.length + suffix.length &&
        url.origin.endsWith(suffix),
    );
    if (matches) return 'listed';
    return this.allowsAny ? 'any' : 'refused';
  }
}
