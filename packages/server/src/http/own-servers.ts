import type { Server } from 'node:http';
import { MsgError } from '@msg/core';
import type { Clock } from '@msg/foundation/clock';
import type { ListenAddress } from '../config/listen-address.ts';
import { formatAddress, listen, servedHosts } from './bind.ts';
import type { HttpEndpoints } from './endpoints.ts';
import { closeServer, createOwnServer } from './own-server.ts';
import { SHUTDOWN_GRACE_MS } from './timeouts.ts';
import { UpgradeListener } from './upgrade-listener.ts';

/** An address that a service listens on. */
export interface ListeningAddress {
  /** IP address. */
  readonly host: string;
  readonly port: number;
  /** `http://127.0.0.1:8000`, with the base path. */
  readonly url: string;
}

/** The HTTP servers that a service opens itself. */
export class OwnServers {
  readonly #endpoints: HttpEndpoints;
  readonly #clock: Clock;
  readonly #servers: Server[] = [];
  readonly #addresses: ListeningAddress[] = [];
  #closing: Promise<unknown> | undefined;

  constructor(endpoints: HttpEndpoints, clock: Clock) {
    this.#endpoints = endpoints;
    this.#clock = clock;
  }

  get addresses(): readonly ListeningAddress[] {
    return this.#addresses;
  }

  /** @throws MsgError MSG_INVALID_ARGUMENT for an address that cannot be listened on, or after the end. */
  async open(address: ListenAddress): Promise<ListeningAddress> {
    this.#requireOpen();
    const endpoints = this.#endpoints;
    endpoints.hosts.addListener(await servedHosts(address, []));
    const server = createOwnServer((request, response) => endpoints.handle(request, response), this.#clock);
    UpgradeListener.of(server).add(endpoints.upgrades);
    const bound = await listen(server, address).catch(error => refuseAddress(address, error));
    if (this.#closing !== undefined) server.close();
    this.#requireOpen();
    this.#servers.push(server);
    const listening = {
      host: bound.address,
      port: bound.port,
      url: `http://${formatAddress(bound)}${endpoints.base.prefix}`,
    };
    this.#addresses.push(listening);
    return listening;
  }

  #requireOpen(): void {
    if (this.#closing !== undefined) throw new MsgError('MSG_INVALID_ARGUMENT', 'the service has stopped');
  }

  leave(): void {
    this.#closing ??= Promise.all(
      this.#servers.map(server => closeServer(server, SHUTDOWN_GRACE_MS, this.#clock)),
    );
  }

  async close(): Promise<void> {
    this.leave();
    await this.#closing;
  }
}

/** @throws MsgError MSG_INVALID_ARGUMENT: the address is an argument here, not a setting. */
function refuseAddress({ host, port }: ListenAddress, { cause = undefined }: Partial<Error>): never {
  const text = cause instanceof Error ? cause.message : 'it cannot be bound';
  throw new MsgError('MSG_INVALID_ARGUMENT', `listening on ${host}:${port} is not possible: ${text}`, {
    cause,
  });
}
