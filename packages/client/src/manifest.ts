import { MsgError } from '@msg/core';
import { exchange, httpBase, isRecord } from './http.ts';
import type { Fetch } from './surroundings.ts';

const TIMEOUT_MS = 5000;

/** Major of the manifest's `format_version` that this wrapper reads. */
const FORMAT_MAJOR = '1';

/** The oldest server that this wrapper works with. */
export const MIN_SERVER_VERSION = '0.1.0';

/** What the wrapper uses of the service's descriptor. */
export interface Manifest {
  readonly version: string;
  readonly transports: readonly string[];
  /** UDP port of the WebTransport listener. */
  readonly webtransportPort: number | undefined;
  /** Everything the server said. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * Fetches the service's descriptor.
 * @throws MsgError MSG_BROKER_NOT_READY without an answer or with another status than 2xx; MSG_INTERNAL when it is no
 * manifest, or one of another major version of the format.
 */
export async function fetchManifest(fetch: Fetch, endpoint: string): Promise<Manifest> {
  const { status, body } = await exchange(fetch, `${httpBase(endpoint)}/manifest`, TIMEOUT_MS);
  if (status < 200 || status > 299)
    throw new MsgError('MSG_BROKER_NOT_READY', `the manifest answered HTTP ${status}`);
  const version = isRecord(body) ? body['format_version'] : undefined;
  const payload = isRecord(body) ? body['payload'] : undefined;
  if (typeof version !== 'string' || !isRecord(payload))
    throw new MsgError('MSG_INTERNAL', 'the manifest cannot be read');
  if (version.split('.', 1)[0] !== FORMAT_MAJOR) {
    throw new MsgError(
      'MSG_INTERNAL',
      `the server speaks format ${version} of the manifest, this client ${FORMAT_MAJOR}.x: use a newer one`,
    );
  }
  const { transports, webtransport_port: port } = payload;
  return {
    version: String(payload['version'] ?? ''),
    transports: Array.isArray(transports) ? transports.filter(name => typeof name === 'string') : [],
    webtransportPort: typeof port === 'number' ? port : undefined,
    payload,
  };
}
