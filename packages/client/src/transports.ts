import { MsgError } from '@msg/core';

/** The part of the standard URL that is used here; browsers and Node share it. */
interface BaseUrl {
  readonly href: string;
  protocol: string;
  port: string;
  search: string;
  hash: string;
}
declare const URL: { new (text: string): BaseUrl; canParse(text: string): boolean };

export type Transport = 'websocket' | 'http_stream' | 'webtransport';

/**
 * The client's order, filtered by what the server offers. A server that names nothing is asked by websocket when that
 * is preferred; without any overlap websocket remains (messaging details 20).
 */
export function pickTransports(preferred: readonly Transport[], server: readonly string[]): Transport[] {
  if (server.length === 0) return preferred.includes('websocket') ? ['websocket'] : [...preferred];
  const both = preferred.filter(transport => server.includes(transport));
  return both.length > 0 ? both : ['websocket'];
}

/**
 * Address of one transport below `endpoint`, an http(s) or ws(s) base URL. WebTransport is always https and listens on
 * the manifest's `webtransport_port` when there is one. MSG_INVALID_ARGUMENT: no such URL.
 */
export function transportEndpoint(endpoint: string, transport: Transport, webtransportPort?: number): string {
  const url = baseUrl(endpoint);
  if (transport === 'webtransport') {
    url.protocol = 'https:';
    if (webtransportPort !== undefined) url.port = String(webtransportPort);
  }
  const address = below(url, `connection/${transport}`);
  return transport === 'websocket' ? address.replace(/^http/, 'ws') : address;
}

/** Where the client sends its commands while it reads from a one-way transport. Errors as `transportEndpoint`. */
export function emulationEndpoint(endpoint: string): string {
  return below(baseUrl(endpoint), 'emulation');
}

/** The base as http(s), without query and fragment. */
function baseUrl(endpoint: string): BaseUrl {
  if (!/^(https?|wss?):\/\//i.test(endpoint) || !URL.canParse(endpoint)) {
    throw new MsgError('MSG_INVALID_ARGUMENT', 'endpoint must be an http(s) or ws(s) URL');
  }
  const url = new URL(endpoint.replace(/^ws/i, 'http'));
  url.search = '';
  url.hash = '';
  return url;
}

function below(url: BaseUrl, path: string): string {
  return `${url.href.replace(/\/+$/, '')}/${path}`;
}
