import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RealtimeNode } from '@msg/engine';
import { WebSocketTransport } from '@msg/engine';
import type { Clock } from '@msg/foundation/clock';
import type { AccessLog } from './access-log.ts';
import type { ClientAddress } from './client-address.ts';
import type { Hosts } from './hosts.ts';
import type { Mount } from './mounts.ts';
import type { Origins } from './origins.ts';
import { pathOf } from './request-context.ts';
import type { UpgradeHandler } from './upgrade-listener.ts';

/** Where WebSockets are opened (client protocol 4.1). */
export const WEBSOCKET_PATH = '/connection/websocket';

export interface UpgradesOptions {
  readonly node: RealtimeNode;
  readonly peer: ClientAddress;
  readonly hosts: Hosts;
  readonly origins: Origins;
  readonly log: AccessLog;
  readonly clock: Clock;
}

/**
 * Mounts the engine's WebSocket transport: path, origin rule, one access record when a connection ends. Whatever does not
 * become a connection is answered as a request, by the router.
 */
export class Upgrades implements UpgradeHandler, Mount {
  readonly #options: UpgradesOptions;
  readonly #websocket: WebSocketTransport;

  constructor(options: UpgradesOptions) {
    this.#options = options;
    this.#websocket = new WebSocketTransport(options.node, {
      allowOrigin: request => options.origins.judge(request) !== 'refused',
      remoteAddress: request => options.peer.of(request),
    });
  }

  takes(request: IncomingMessage): boolean {
    if (pathOf(request.url) !== WEBSOCKET_PATH) return false;
    return this.#options.hosts.decide(request) === 'allowed' && this.#websocket.takes(request);
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { clock, log, peer } = this.#options;
    const startedAt = clock.monotonic();
    // Not the request itself: it would live as long as the connection.
    const logged = { method: request.method, headers: request.headers };
    const record = { request: logged, path: pathOf(request.url), peer: peer.of(request), status: 101 };
    const requestId = log.requestId(request);
    socket.once('close', () =>
      log.ended({ ...record, requestId, durationMs: clock.monotonic() - startedAt }),
    );
    this.#websocket.handleUpgrade(request, socket, head);
  }

  handle(request: IncomingMessage, response: ServerResponse, headers: string[]): Promise<void> {
    return this.#websocket.handle(request, response, headers);
  }
}
