import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock, RealtimeNode } from '@msg/engine';
import { WebSocketTransport } from '@msg/engine';
import type { AccessLog } from './access-log.ts';
import { pathOf } from './exchange.ts';
import type { Origins } from './origins.ts';
import type { PeerAddress } from './peer.ts';

const WEBSOCKET_PATH = '/connection/websocket';

export interface UpgradesOptions {
  readonly node: RealtimeNode;
  readonly peer: PeerAddress;
  readonly origins: Origins;
  readonly log: AccessLog;
  readonly clock: Clock;
}

/** Mounts the engine's WebSocket transport: path, origin rule, one access record when a connection ends. */
export class Upgrades {
  readonly #options: UpgradesOptions;
  readonly #websocket: WebSocketTransport;

  constructor(options: UpgradesOptions) {
    this.#options = options;
    this.#websocket = new WebSocketTransport(options.node, {
      allowOrigin: request => options.origins.judge(request) !== 'refused',
      remoteAddress: request => options.peer.of(request),
    });
  }

  /** Takes an upgrade over; false for a path that is not the service's. */
  handle(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const path = pathOf(request.url);
    if (path !== WEBSOCKET_PATH) return false;
    const { clock, log, node, origins, peer } = this.#options;
    const startedAt = clock.now();
    const record = { request, path, peer: peer.of(request), requestId: log.requestId(request) };
    const status = origins.judge(request) === 'refused' ? 403 : node.accepting ? 101 : 503;
    socket.once('close', () => log.ended({ ...record, status, durationMs: clock.now() - startedAt }));
    this.#websocket.handleUpgrade(request, socket, head);
    return true;
  }
}
