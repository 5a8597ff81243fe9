import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { hostName, isLoopbackAddress, isLoopbackName } from '@msg/foundation/http-guard';

/**
 * How a request reaches the console:
 * - `secure`: over HTTPS;
 * - `local`: over plain HTTP from this machine to a loopback name, so also through a tunnel;
 * - `insecure`: any other way, by which signing in is refused.
 */
type PlaceKind = 'secure' | 'local' | 'insecure';

/** Where a request reaches the console. */
export interface Place {
  readonly kind: PlaceKind;
  /** The only origin whose pages may call: `https://ops.example.com`. */
  readonly origin: string;
  /** The name of the session's cookie. */
  readonly cookie: string;
  /** The name of the cookie of a sign-in at the identity provider. */
  readonly loginCookie: string;
  /** Peer and `Host` are of this machine. */
  readonly isOfThisMachine: boolean;
}

const SECURE_COOKIE = '__Host-msg-console';
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Asks whether the TCP peer is a trusted proxy that says it was called over HTTPS. */
export type SaysHttps = (request: IncomingMessage) => boolean;

/** Where a request comes from. `origin` is the configured one. Source: console, section 4.3. */
export function placeOf(request: IncomingMessage, origin: URL | undefined, saysHttps: SaysHttps): Place {
  const { host = '' } = request.headers;
  const name = hostName(host) ?? '';
  const isTls = (request.socket as Partial<TLSSocket>).encrypted === true || saysHttps(request);
  const isOfConfigured = origin?.protocol === 'https:' && origin.host === host.toLowerCase();
  const isOfThisMachine = isLoopbackAddress(request.socket.remoteAddress ?? '') && isLoopbackName(name);
  const isSecure = isTls || isOfConfigured;
  const kind = isSecure ? 'secure' : isOfThisMachine ? 'local' : 'insecure';
  const address = URL.parse(`${isSecure ? 'https' : 'http'}://${host}`);
  return {
    kind,
    origin: origin?.origin ?? address?.origin ?? '',
    cookie: kind === 'secure' ? SECURE_COOKIE : `msg-console-${portOf(address)}`,
    loginCookie: kind === 'secure' ? `${SECURE_COOKIE}-login` : `msg-console-login-${portOf(address)}`,
    isOfThisMachine,
  };
}

/** Other ports of a host share its cookies, so the port of the browser's address is in the name. */
function portOf(url: URL | null): string {
  return url === null ? '' : url.port || (DEFAULT_PORTS[url.protocol] ?? '');
}
