import { lookup } from 'node:dns/promises';
import { createServer } from 'node:http';
import { type AddressInfo, isIP, type Server } from 'node:net';
import { MsgError, type Situation } from '@msg/core';
import { isLoopbackAddress } from '@msg/foundation/http-guard';
import { defined } from '@msg/foundation/json';
import { type ListenAddress, readListenAddress } from '../config/listen-address.ts';

/**
 * Reads `host:port`, `:port` or `[v6]:port`; `key` names the setting in errors.
 * @throws MsgError MSG_INVALID_ARGUMENT
 */
export function parseListenAddress(text: string, key = 'server.addr'): ListenAddress {
  const address = readListenAddress(text);
  if (address !== undefined) return address;
  throw new MsgError('MSG_INVALID_ARGUMENT', `${key}: ${JSON.stringify(text)} is not host:port`);
}

/**
 * The accepted `Host` names of a service at this address: on a loopback address those in `listed`, because any other name
 * was rebound to it; elsewhere those in `listed`, or any name when the list is empty.
 */
export async function servedHosts(
  address: ListenAddress,
  listed: readonly string[],
): Promise<readonly string[] | undefined> {
  // An unknown name also fails at binding, with a better error.
  if (await isLoopback(address)) return isIP(address.host) === 0 ? [address.host, ...listed] : listed;
  return listed.length === 0 ? undefined : listed;
}

/** Whether only this machine reaches an address. */
export async function isLoopback({ host }: ListenAddress): Promise<boolean> {
  const bound = host === '' ? undefined : await lookup(host).catch(() => undefined);
  return bound !== undefined && isLoopbackAddress(bound.address);
}

/**
 * @throws MsgError MSG_INVALID_ARGUMENT for an address that other machines can reach: `--dev` is for this machine only
 */
export async function requireLoopback(address: ListenAddress): Promise<void> {
  if (await isLoopback(address)) return;
  const { host, port } = address;
  const text = `server.addr: must be a loopback address under server.dev, such as 127.0.0.1:${port}; got ${host}:${port}`;
  throw new MsgError('MSG_INVALID_ARGUMENT', text);
}

/** Shows an address as `host:port`. */
export function formatAddress({ address, port, family }: AddressInfo): string {
  return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`;
}

function bind(server: Server, { host, port }: ListenAddress): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...defined({ host: host === '' ? undefined : host }) }, () => {
      server.off('error', reject);
      resolve(server.address() as AddressInfo); // a bound TCP server has one
    });
  });
}

/** Ports above a taken port that are tried. */
const PORTS_TRIED = 50;

/** The next free port on the host. */
async function freePortAbove({ host, port }: ListenAddress): Promise<number | undefined> {
  for (let next = port + 1; next <= Math.min(port + PORTS_TRIED, 65_535); next++) {
    const probe = createServer();
    const isFree = await bind(probe, { host, port: next }).then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await new Promise(resolve => probe.close(resolve));
    return next;
  }
  return undefined;
}

async function bindError(
  address: ListenAddress,
  key: string,
  cause: NodeJS.ErrnoException,
): Promise<MsgError> {
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  const text = `${key}: cannot listen on ${host}:${address.port}: ${cause.message}`;
  const free = cause.code === 'EADDRINUSE' ? await freePortAbove(address) : undefined;
  const situation: Situation | undefined =
    free === undefined ? undefined : { name: 'portInUse', values: { free: `${host}:${free}` } };
  return new MsgError('MSG_INVALID_ARGUMENT', text, { cause, ...defined({ situation }) });
}

/**
 * Binds a server and returns the actual address; `key` names the setting in errors. @throws MsgError MSG_INVALID_ARGUMENT
 * when the address cannot be bound
 */
export async function listen(
  server: Server,
  address: ListenAddress,
  key = 'server.addr',
): Promise<AddressInfo> {
  try {
    return await bind(server, address);
  } catch (error) {
    throw await bindError(address, key, error as NodeJS.ErrnoException); // servers report system errors
  }
}
