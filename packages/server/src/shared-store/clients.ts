import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { MsgError } from '@msg/core';
import { Cluster, Redis } from 'ioredis';
import type { RedisOptions } from '../options.ts';
import { type HostPort, parseStoreAddress, type StoreAddress } from './address.ts';

/** Client protocol 16.8: opening a connection, and waiting for an answer. */
const CONNECT_MS = 1000;
const ANSWER_MS = 4000;
/** A connection that owes an answer for so long is taken for dead and made anew. */
const SILENCE_MS = 5000;
/** How often the layout of a cluster is read again. */
const LAYOUT_MS = 5000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 30_000;

export type StoreClient = Redis | Cluster;

/** How long to wait before the n-th try to reconnect, from 1: 100 ms, doubling to 30 s. */
export function retryDelay(attempt: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LAST_RETRY_MS);
}

/** A store's address with what the options override, checked. @throws MsgError MSG_INVALID_ARGUMENT */
export function effectiveAddress(options: RedisOptions): StoreAddress {
  const parsed = parseStoreAddress(options.address);
  for (const [index, shard] of (options.shards ?? []).entries())
    parseStoreAddress(shard, `redis.shards[${index}]`);
  const { username, password, db, tls } = options;
  const settled: StoreAddress = {
    ...parsed,
    tls: parsed.tls || (tls?.enabled ?? false),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(db === undefined ? {} : { db }),
  };
  if (settled.topology === 'cluster' && (settled.db ?? 0) !== 0)
    throw new MsgError('MSG_INVALID_ARGUMENT', 'redis.db: a cluster has only database 0');
  if ((options.shardedPubSubPartitions ?? 0) > 0 && settled.topology !== 'cluster')
    throw new MsgError('MSG_INVALID_ARGUMENT', 'redis.sharded_pubsub_partitions: needs a cluster');
  return settled;
}

function trusted(caFile: string): string {
  try {
    return readFileSync(caFile, 'utf8');
  } catch (cause) {
    throw new MsgError('MSG_INVALID_ARGUMENT', `redis.tls.ca_file: ${caFile} cannot be read`, { cause });
  }
}

function tlsOptions({ tls }: RedisOptions): ConnectionOptions {
  return {
    ...(tls?.caFile === undefined ? {} : { ca: trusted(tls.caFile) }),
    ...(tls?.serverName === undefined ? {} : { servername: tls.serverName }),
    ...(tls?.insecureSkipVerify === true ? { rejectUnauthorized: false } : {}),
  };
}

function common(address: StoreAddress, options: RedisOptions) {
  const { username, password, db, tls } = address;
  return {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    commandTimeout: ANSWER_MS,
    socketTimeout: SILENCE_MS,
    // Nobody knows what a lost answer said: callers decide, not the connection.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(db === undefined ? {} : { db }),
    ...(tls ? { tls: tlsOptions(options) } : {}),
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
export function commandClient(address: StoreAddress, options: RedisOptions): StoreClient {
  const settings = common(address, options);
  if (address.topology !== 'cluster')
    return new Redis({
      ...settings,
      ...target(address),
      retryStrategy: retryDelay,
      // A master that was demoted: the connection belongs to another server now.
      reconnectOnError: error => error.message.startsWith('READONLY'),
    });
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
export function subscriberClient(address: StoreAddress, options: RedisOptions, node?: HostPort): Redis {
  const place = node === undefined ? target(address) : { host: node.host, port: node.port };
  return new Redis({ ...common(address, options), ...place, retryStrategy: () => null });
}
