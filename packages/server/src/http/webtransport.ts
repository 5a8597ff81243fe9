import { MsgError } from '@msg/core';
import {
  type RealtimeNode,
  rwebtransport,
  type TransportListener,
  type WebTransportSession,
  WebTransportUnavailable,
  webtransport,
} from '@msg/engine';
import type { Clock } from '@msg/foundation/clock';
import type { AccessLog } from './access-log.ts';
import { parseListenAddress } from './bind.ts';
import { originReason } from './foreign-origin.ts';
import type { WebTransportOptions } from './options.ts';
import type { Origins } from './origins.ts';
import { pathOf } from './request-context.ts';

/** Told of each session when it comes and when it is over. */
export interface SessionCounts {
  opened(): void;
  closed(): void;
}

export interface WebTransportParts {
  readonly node: RealtimeNode;
  readonly origins: Origins;
  readonly log: AccessLog;
  readonly clock: Clock;
  /** Prefix of the transport's path. */
  readonly prefix: string;
  /** Counts sessions with the connections of a thread. */
  readonly counts?: SessionCounts | undefined;
}

/**
 * Opens the WebTransport listener (messaging details 10.4).
 * @throws MsgError MSG_INVALID_ARGUMENT with the reason: no package, an unsupported runtime, a package that does not
 * load, a bad certificate, an address in use
 */
export async function listenForWebTransport(
  { node, origins, log, clock, prefix, counts }: WebTransportParts,
  { addr, certFile, keyFile }: WebTransportOptions,
): Promise<TransportListener> {
  try {
    return await webtransport.open(node, {
      ...parseListenAddress(addr, 'server.webtransport.addr'),
      certFile,
      keyFile,
      clock,
      path: prefix + webtransport.path,
      allowOrigin: ({ origin, authority }) =>
        origins.decideHost(origin ?? undefined, authority) !== 'refused',
      onStart: () => counts?.opened(),
      onEnd(session, status, startedAt) {
        counts?.closed();
        logEnd(log, session, status, clock.monotonic() - startedAt);
      },
    });
  } catch (error) {
    throw asRefused(error);
  }
}

/**
 * Opens the listener and closes it again, for another thread that will open it: what is wrong with it fails the start, and
 * port 0 gets its number.
 * @returns the port
 * @throws MsgError as {@link listenForWebTransport}
 */
export async function settleWebTransportPort({
  addr,
  certFile,
  keyFile,
}: WebTransportOptions): Promise<number> {
  const address = parseListenAddress(addr, 'server.webtransport.addr');
  try {
    const server = await rwebtransport.listen({ ...address, certFile, keyFile });
    await server.close();
    return server.port;
  } catch (error) {
    throw asRefused(error);
  }
}

function asRefused(error: unknown): unknown {
  if (!(error instanceof WebTransportUnavailable)) return error;
  return new MsgError('MSG_INVALID_ARGUMENT', `server.webtransport: ${error.message}`, { cause: error });
}

function logEnd(
  log: AccessLog,
  { path, headers, remoteAddress, origin }: WebTransportSession,
  status: number,
  durationMs: number,
): void {
  const request = { method: 'CONNECT', headers };
  log.ended({
    request,
    path: pathOf(path),
    status,
    durationMs,
    clientAddress: remoteAddress,
    requestId: log.requestId(request),
    reason: status === 403 ? originReason(origin ?? '') : undefined,
  });
}
