import { httpStream } from './http/http-stream.ts';
import { sse } from './http/sse.ts';
import type { TransportRow } from './row.ts';
import { websocket } from './websocket/websocket.ts';
import { webtransport } from './webtransport/endpoint.ts';

/**
 * Every way by which clients connect over a network, in the order of the manifest. Mounts, manifest and the names in
 * metrics read it. A connection inside the process has no path, and no row.
 */
export const TRANSPORTS: readonly TransportRow[] = [websocket, httpStream, sse, webtransport];
