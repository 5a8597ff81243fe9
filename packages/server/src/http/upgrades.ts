import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RealtimeNode, TRANSPORTS, type UpgradeEndpoint } from '@msg/engine';
import type { Clock } from '@msg/foundation/clock';
import type { AccessLog } from './access-log.ts';
import type { BasePath } from './base-path.ts';
import type { ClientAddress } from './client-address.ts';
import type { Hosts } from './hosts.ts';
import type { Mount } from './mounts.ts';
import type { Origins } from './origins.ts';
import type { UpgradeHandler } from './upgrade-listener.ts';

export interface UpgradesOptions {
  readonly node: RealtimeNode;
  readonly base: BasePath;
  readonly clientAddress: ClientAddress;
  readonly hosts: Hosts;
  readonly origins: Origins;
  readonly log: AccessLog;
  readonly clock: Clock;
}

/**
 * Mounts the engine's transports that upgrade requests (client protocol 4.1): path, origin rule, one access record when a
 * connection ends. Requests that do not become a connection are answered by the router.
 */
export class Upgrades implements UpgradeHandler {
  readonly #options: UpgradesOptions;
  readonly #endpoints = new Map<string, UpgradeEndpoint>();

  constructor(options: UpgradesOptions) {
    this.#options = options;
    const rules = {
      allowOrigin: (request: IncomingMessage) => options.origins.decide(request) !== 'refused',
      remoteAddress: (request: IncomingMessage) => options.clientAddress.of(request),
    };
    for (const row of TRANSPORTS)
      if (row.kind === 'upgrade') this.#endpoints.set(row.path, row.open(options.node, rules));
  }

  /** Endpoints for plain requests to the paths of these transports. */
  get mounts(): ReadonlyMap<string, Mount> {
    return this.#endpoints;
  }

  takes(request: IncomingMessage): boolean {
    const endpoint = this.#endpoints.get(this.#options.base.of(request) ?? '');
    return (
      endpoint !== undefined && this.#options.hosts.decide(request) === 'allowed' && endpoint.takes(request)
    );
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { base, clock, log, clientAddress } = this.#options;
    const startedAt = clock.monotonic();
    const below = base.of(request) ?? '';
    const path = base.prefix + below;
    const record = log.keptOf(request);
    const address = clientAddress.of(request);
    // A socket closes once: `once` would hold two objects more for each connection.
    socket.on('close', () =>
      log.ended({
        ...record,
        path,
        clientAddress: address,
        status: 101,
        durationMs: clock.monotonic() - startedAt,
      }),
    );
    this.#endpoints.get(below)?.handleUpgrade(request, socket, head);
  }
}
