import { MsgError } from '@msg/core';
import {
  type RealtimeNode,
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

export interface WebTransportParts {
  readonly node: RealtimeNode;
  readonly origins: Origins;
  readonly log: AccessLog;
  readonly clock: Clock;
  /** Prefix of the transport's path. */
  readonly prefix: string;
}

/**
 * Opens the WebTransport listener (messaging details 10.4).
 * @throws MsgError MSG_INVALID_ARGUMENT with the reason: no package, an unsupported runtime, a package that does not
 * load, a bad certificate, an address in use
 */
export async function listenForWebTransport(
  { node, origins, log, clock, prefix }: WebTransportParts,
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
      onEnd: (session, status, startedAt) => logEnd(log, session, status, clock.monotonic() - startedAt),
    });
  } catch (error) {
    if (!(error instanceof WebTransportUnavailable)) throw error;
    throw new MsgError('MSG_INVALID_ARGUMENT', `server.webtransport: ${error.message}`, { cause: error });
  }
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
