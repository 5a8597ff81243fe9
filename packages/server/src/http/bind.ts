import { lookup } from 'node:dns/promises';
import type { Server } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { MsgError } from '@msg/core';
import { isLoopbackAddress } from '@msg/foundation/http-guard';
import { defined } from '@msg/foundation/json';

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

/**
 * The names that a service listening there may be called by: on a loopback address the listed ones, since a page of any
 * other name was rebound to it; elsewhere `listed` too, or any name when nothing is listed.
 */
export async function servedHosts(
  { host }: ListenAddress,
  listed: readonly string[],
): Promise<readonly string[] | undefined> {
  // A name that is not found cannot be bound either, and that is the better error.
  const bound = host === '' ? undefined : await lookup(host).catch(() => undefined);
  if (bound !== undefined && isLoopbackAddress(bound.address)) {
    return isIP(host) === 0 ? [host, ...listed] : listed;
  }
  return listed.length === 0 ? undefined : listed;
}

/** @throws MsgError MSG_INVALID_ARGUMENT for an address that others could reach: `--dev` is for this machine alone. */
export async function requireLoopback({ host, port }: ListenAddress): Promise<void> {
  const bound = host === '' ? undefined : await lookup(host).catch(() => undefined);
  if (bound !== undefined && isLoopbackAddress(bound.address)) return;
  const text = `server.addr: must be a loopback address under server.dev, such as 127.0.0.1:${port}; got ${host}:${port}`;
  throw new MsgError('MSG_INVALID_ARGUMENT', text);
}

/** Shows an address as `host:port`. */
export function formatAddress({ address, port, family }: AddressInfo): string {
  return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Binds a server; answers the actual address. @throws MsgError MSG_INVALID_ARGUMENT when that is not possible. */
export function listen(server: Server, { host, port }: ListenAddress): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const failed = (cause: NodeJS.ErrnoException) => {
      const remedy =
        cause.code === 'EADDRINUSE' ? '; end the program that listens there, or choose another --addr' : '';
      const text = `server.addr: cannot listen on ${host}:${port}: ${cause.message}${remedy}`;
      reject(new MsgError('MSG_INVALID_ARGUMENT', text, { cause }));
    };
    server.once('error', failed);
    server.listen({ port, ...defined({ host: host === '' ? undefined : host }) }, () => {
      server.off('error', failed);
      resolve(server.address() as AddressInfo); // a bound TCP server has one
    });
  });
}
