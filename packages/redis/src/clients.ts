import type { ConnectionOptions } from 'node:tls';
import { Cluster, Redis } from 'ioredis';
import type { HostPort, StoreAddress } from './address.ts';

/** Client protocol 16.8: opening a connection, and waiting for an answer. */
const CONNECT_MS = 1000;
const ANSWER_MS = 4000;
/** A connection that owes an answer for so long is taken for dead and made anew. */
const SILENCE_MS = 5000;
/** How often the layout of a cluster is read again. */
const LAYOUT_MS = 5000;
const FIRST_RETRY_MS = 100;
/** Delivery depends on it: nobody waits long for a store that is back. */
const LAST_RETRY_MS = 1000;

export type RedisClient = Redis | Cluster;

/** How long to wait before the n-th try to reconnect, from 1: 100 ms, doubling to 1 s. */
export function retryDelay(attempt: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LAST_RETRY_MS);
}

function common({ username, password, db, tls }: StoreAddress, tlsOptions: ConnectionOptions) {
  return {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    commandTimeout: ANSWER_MS,
    socketTimeout: SILENCE_MS,
    // Nobody knows what a lost answer said: callers decide, not the connection.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    enableOfflineQueue: false,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(db === undefined ? {} : { db }),
    ...(tls ? { tls: tlsOptions } : {}),
  };
}

function target(address: StoreAddress) {
  const [first] = address.hosts;
  if (address.socket !== undefined) return { path: address.socket };
  if (address.topology !== 'sentinel') return { host: first?.host ?? '', port: first?.port ?? 0 };
  return {
    sentinels: address.hosts.map(({ host, port }) => ({ host, port })),
    name: address.master ?? '',
    sentinelRetryStrategy: retryDelay,
    sentinelCommandTimeout: ANSWER_MS,
    failoverDetector: true,
    enableTLSForSentinelMode: address.tls,
  };
}

/** A client for commands, not yet connected; it reconnects by itself. */
export function commandClient(address: StoreAddress, tls: ConnectionOptions): RedisClient {
  const settings = common(address, tls);
  if (address.topology !== 'cluster') {
    return new Redis({
      ...settings,
      ...target(address),
      retryStrategy: retryDelay,
      // A master that was demoted: the connection belongs to another server now.
      reconnectOnError: error => error.message.startsWith('READONLY'),
    });
  }
  return new Cluster(
    address.hosts.map(({ host, port }) => ({ host, port })),
    {
      lazyConnect: true,
      enableOfflineQueue: false,
      slotsRefreshTimeout: ANSWER_MS,
      slotsRefreshInterval: LAYOUT_MS,
      // Redirections are followed, commands whose answer was lost are not sent again.
      retryDelayOnFailover: 0,
      clusterRetryStrategy: retryDelay,
      redisOptions: settings,
    },
  );
}

/**
 * A client for PUB/SUB, not yet connected; it does not reconnect. Every node of a cluster hears every message: there
 * `node` is the one to listen at.
 */
export function subscriberClient(address: StoreAddress, tls: ConnectionOptions, node?: HostPort): Redis {
  const place = node === undefined ? target(address) : { host: node.host, port: node.port };
  return new Redis({ ...common(address, tls), ...place, retryStrategy: () => null });
}
