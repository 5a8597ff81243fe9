import { addressBelow, addressOf, baseUrl } from './address.ts';

/** The transports of the stock client that the wrapper uses. */
export type Transport = 'websocket' | 'http_stream' | 'webtransport';

/**
 * The client's transports that the server offers, in the client's order; WebSocket when they share none. For a
 * server that names no transports: WebSocket if the client prefers it among others, else the client's list (messaging
 * details 20).
 */
export function pickTransports(preferred: readonly Transport[], server: readonly string[]): Transport[] {
  if (server.length === 0) return preferred.includes('websocket') ? ['websocket'] : [...preferred];
  const both = preferred.filter(transport => server.includes(transport));
  return both.length > 0 ? both : ['websocket'];
}

/**
 * Address of one transport below `endpoint`, an http(s) or ws(s) base URL. WebTransport is always https and listens on
 * the manifest's `webtransport_port` when there is one. @throws MsgError MSG_INVALID_ARGUMENT for any other URL
 */
export function transportEndpoint(endpoint: string, transport: Transport, webtransportPort?: number): string {
  const url = baseUrl(endpoint);
  if (transport === 'webtransport') {
    url.protocol = 'https:';
    if (webtransportPort !== undefined) url.port = String(webtransportPort);
  }
  const address = addressBelow(url, `connection/${transport}`);
  return transport === 'websocket' ? address.replace(/^http/, 'ws') : address;
}

/**
 * Address for commands of a client with a one-way transport. @throws MsgError MSG_INVALID_ARGUMENT as {@link
 * transportEndpoint}
 */
export function emulationEndpoint(endpoint: string): string {
  return addressOf(endpoint, 'emulation');
}
