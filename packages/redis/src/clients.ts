import type { ConnectionOptions } from 'node:tls';
import type { Clock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { Cluster, Redis } from 'ioredis';
import type { HostPort, StoreAddress } from './address.ts';
import { watchMaster } from './master-watch.ts';
import { retryDelay } from './retry-delay.ts';

/** Client protocol 16.8: opening a connection, and waiting for an answer. */
const CONNECT_MS = 1000;
const ANSWER_MS = 4000;
/** A connection without an answer for this time is dead and is opened again. */
const SILENCE_MS = 5000;
/** How often the layout of a cluster is read again. */
const LAYOUT_MS = 5000;
/** How often to reconnect to a server that stays read-only. */
const DEMOTED_MS = 5000;

export type RedisClient = Redis | Cluster;

function clientSettings({ username, password, db, tls }: StoreAddress, tlsOptions: ConnectionOptions) {
  return {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    commandTimeout: ANSWER_MS,
    socketTimeout: SILENCE_MS,
    // A command without an answer may have been executed: callers decide whether to repeat it.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    enableOfflineQueue: false,
    ...defined({ username, password, db, tls: tls ? tlsOptions : undefined }),
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
    enableTLSForSentinelMode: address.tls,
  };
}

/**
 * Whether to reconnect because of an error reply: a demoted master answers writes with READONLY, and its address may
 * already lead to another server. For a server that stays read-only the reconnects are seconds apart, because each loses
 * the pending answers.
 */
function reconnectsOnDemotion(clock: Clock): (error: Error) => boolean {
  let last = Number.NEGATIVE_INFINITY;
  return error => {
    const now = clock.monotonic();
    if (!error.message.startsWith('READONLY') || now - last < DEMOTED_MS) return false;
    last = now;
    return true;
  };
}

/** A client for commands, not yet connected; it reconnects by itself. */
export function commandClient(address: StoreAddress, tls: ConnectionOptions, clock: Clock): RedisClient {
  const settings = clientSettings(address, tls);
  if (address.topology !== 'cluster') {
    const client = new Redis({
      ...settings,
      ...target(address),
      retryStrategy: retryDelay,
      reconnectOnError: reconnectsOnDemotion(clock),
    });
    watchMaster(client, address);
    return client;
  }
  const client = new Cluster(
    address.hosts.map(({ host, port }) => ({ host, port })),
    {
      lazyConnect: true,
      enableOfflineQueue: false,
      slotsRefreshTimeout: ANSWER_MS,
      slotsRefreshInterval: LAYOUT_MS,
      // Redirections are followed; commands without an answer are not sent again.
      retryDelayOnFailover: 0,
      clusterRetryStrategy: retryDelay,
      redisOptions: settings,
    },
  );
  client.on('+node', leaveFailureToCommand);
  return client;
}

/**
 * The library sends ASKING before a command whose slot is on its way to a node, and does not look at its answer. Where it
 * fails, so does the command, which tells the caller; by itself it must not end the process.
 */
function leaveFailureToCommand(node: Redis): void {
  const ask = node.asking.bind(node) as () => Promise<'OK'>;
  node.asking = () => {
    const answer = ask();
    answer.catch(() => {});
    return answer;
  };
}

/**
 * A client for PUB/SUB, not yet connected; it does not reconnect. On a cluster, where every node receives every message,
 * it connects to `node`.
 */
export function subscriberClient(address: StoreAddress, tls: ConnectionOptions, node?: HostPort): Redis {
  const place = node === undefined ? target(address) : { host: node.host, port: node.port };
  const client = new Redis({ ...clientSettings(address, tls), ...place, retryStrategy: () => null });
  watchMaster(client, address);
  return client;
}
