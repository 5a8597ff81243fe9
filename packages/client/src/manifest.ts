import { MsgError } from '@msg/core';
import { isRecord } from '@msg/foundation/json';
import { addressOf } from './address.ts';
import { fetchRecord } from './http.ts';
import type { Fetch } from './platform.ts';

const TIMEOUT_MS = 5000;

/** Major of the manifest's `format_version` that this wrapper reads. */
const FORMAT_MAJOR = '1';

/** The oldest server that this wrapper works with. */
export const MIN_SERVER_VERSION = '0.1.0';

/** The part of the service's descriptor that the wrapper uses. */
export interface Manifest {
  readonly version: string;
  readonly transports: readonly string[];
  /** UDP port of the WebTransport listener. */
  readonly webtransportPort: number | undefined;
  /** The whole payload. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * Fetches the service's descriptor.
 * @throws MsgError MSG_BROKER_NOT_READY without an answer or with another status than 2xx; MSG_INTERNAL when the answer is
 * not a manifest, or a manifest of another major version of the format.
 */
export async function fetchManifest(fetch: Fetch, endpoint: string): Promise<Manifest> {
  const url = addressOf(endpoint, 'manifest');
  const { format_version: version, payload } = await fetchRecord(fetch, url, TIMEOUT_MS);
  if (typeof version !== 'string' || !isRecord(payload))
    throw new MsgError('MSG_INTERNAL', 'the manifest cannot be read');
  if (version.split('.', 1)[0] !== FORMAT_MAJOR)
    throw new MsgError(
      'MSG_INTERNAL',
      `the server speaks format ${version} of the manifest: use a newer client`,
    );
  const { transports, webtransport_port: port } = payload;
  return {
    version: String(payload['version'] ?? ''),
    transports: Array.isArray(transports) ? transports.filter(name => typeof name === 'string') : [],
    webtransportPort: typeof port === 'number' ? port : undefined,
    payload,
  };
}
