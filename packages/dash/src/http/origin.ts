import {
  addressOf,
  hostName,
  isLoopbackAddress,
  isLoopbackName,
  isSameHost,
} from '@msg/foundation/http-guard';
import { display } from '../document/display.ts';
import { DashError } from '../errors.ts';
import { RequestError } from './request-error.ts';

/** The binding of a server, for the check of `Host`. */
export interface Binding {
  /** Address that the socket is bound to. */
  readonly address: string;
  /** Configured name or address. */
  readonly host: string;
  /** Further names, for example that of a reverse proxy. */
  readonly allowHosts: readonly string[];
}

/**
 * Refuses requests of foreign web pages (dashboard details 15.1): a `Host` of another name means a rebound DNS name, an
 * `Origin` that differs from `Host` a page of another site. This does not authenticate the caller.
 * @throws DashError SERVE_ORIGIN_FORBIDDEN `{host}` or `{origin}`.
 */
export function requireOwnOrigin(
  binding: Binding,
  method: string,
  host: string | undefined,
  origin: string | undefined,
): void {
  if (!isOwnHost(binding, host)) {
    const message = `Host must be a name of this server; got "${display(host ?? '')}"; --allow-host adds one.`;
    throw new DashError('SERVE_ORIGIN_FORBIDDEN', message, { host: host ?? '' });
  }
  if (method !== 'POST' || origin === undefined || isOwnOrigin(origin, host ?? '')) return;
  throw new DashError(
    'SERVE_ORIGIN_FORBIDDEN',
    `Writing on this server is not allowed for pages of "${display(origin)}": the origin must be its own.`,
    {
      origin,
    },
  );
}

/**
 * Refuses a write that a browser says is caused by a page of elsewhere; another port of this machine is elsewhere, too
 * (page and review 2). Programs that are no browsers do not send the header.
 * @throws DashError SERVE_ORIGIN_FORBIDDEN `{site}`.
 */
export function requireOwnSite(method: string, site: string | undefined): void {
  if (method !== 'POST' || site === undefined || site === 'same-origin' || site === 'none') return;
  const message = `Writing on this server is not allowed for pages of elsewhere: Sec-Fetch-Site must be same-origin; got "${display(site)}".`;
  throw new DashError('SERVE_ORIGIN_FORBIDDEN', message, { site });
}

/**
 * The host of a request: the authority of an absolute target, otherwise its `Host` (RFC 9112 3.2.2); undefined without
 * either.
 * @throws RequestError 400 for several `Host` headers, of which a proxy may have checked another
 */
export function requestHost(target: string, hosts: readonly string[]): string | undefined {
  if (hosts.length > 1)
    throw new RequestError(400, `A request must be sent with one Host header; got ${hosts.length}.`);
  const scheme = target.slice(0, 'https://'.length).toLowerCase();
  const start = scheme === 'https://' ? scheme.length : scheme.startsWith('http://') ? 'http://'.length : 0;
  if (start === 0) return hosts[0];
  const end = target.slice(start).search(/[/?#]/);
  return end < 0 ? target.slice(start) : target.slice(start, start + end);
}

function isOwnHost(binding: Binding, host: string | undefined): boolean {
  const name = hostName(host ?? '');
  if (name === undefined) return false;
  if (binding.allowHosts.some(allowed => allowed.toLowerCase() === name)) return true;
  if (isLoopbackAddress(binding.address)) return isLoopbackName(name);
  return addressOf(name) !== undefined || name === binding.host.toLowerCase();
}

/** True for an origin (scheme, host and port only) that matches the host. `null` is foreign. */
function isOwnOrigin(origin: string, host: string): boolean {
  const url = /^[a-z]+:\/\/[^/?#]+$/i.test(origin) ? URL.parse(origin) : null;
  return url !== null && isSameHost(url, host);
}
