import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MsgError } from '@msg/core';

/** Host and port of a listen address. */
export interface ListenAddress {
  /** Empty: every interface. */
  readonly host: string;
  readonly port: number;
}

/**
 * Reads `host:port`, `:port` or `[v6]:port`; `key` is what holds the address, for errors.
 * @throws MsgError MSG_INVALID_ARGUMENT
 */
export function parseListenAddress(text: string, key = 'server.addr'): ListenAddress {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw new MsgError('MSG_INVALID_ARGUMENT', `${key}: ${JSON.stringify(text)} is not host:port`);
  }
  return { host: match[1] ?? match[2] ?? '', port };
}

/** Shows an address as `host:port`. */
export function formatAddress({ address, port, family }: AddressInfo): string {
  return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Binds a server; answers the actual address. @throws MsgError MSG_INVALID_ARGUMENT when that is not possible. */
export function listen(server: Server, { host, port }: ListenAddress): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const failed = (cause: Error) => {
      const text = `server.addr: cannot listen on ${host}:${port}: ${cause.message}`;
      reject(new MsgError('MSG_INVALID_ARGUMENT', text, { cause }));
    };
    server.once('error', failed);
    server.listen({ port, ...(host === '' ? {} : { host }) }, () => {
      server.off('error', failed);
      resolve(server.address() as AddressInfo); // a bound TCP server has one
    });
  });
}
