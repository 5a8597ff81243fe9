import { Redis } from 'ioredis';
import type { StoreAddress } from './address.ts';
import { retryDelay } from './retry-delay.ts';

const SWITCHED = '+switch-master';

/**
 * Ends a client's connection when a Sentinel announces another master; the client then reconnects. After a failover the
 * Sentinels announce the new master one after the other, seconds apart on a busy machine: a connection to the new master
 * stays, because its end would lose pending answers. For other topologies it does nothing.
 */
export function watchMaster(client: Redis, { topology, hosts, master }: StoreAddress): void {
  if (topology !== 'sentinel') return;
  const sentinels = hosts.map(
    ({ host, port }) =>
      new Redis({
        host,
        port,
        lazyConnect: true,
        enableReadyCheck: false,
        maxRetriesPerRequest: null,
        retryStrategy: retryDelay,
      }),
  );
  for (const sentinel of sentinels) {
    sentinel.on('error', () => {}); // it reconnects; the other Sentinels announce meanwhile
    sentinel.on('message', (_channel, text) => {
      const [name, , , host, port] = text.split(' ');
      if (name === master && !leadsTo(client, host, Number(port))) client.disconnect(true);
    });
  }
  client.once('connect', () => {
    // Rejects when the client ends first.
    for (const sentinel of sentinels) sentinel.subscribe(SWITCHED).catch(() => {});
  });
  client.once('end', () => {
    for (const sentinel of sentinels) sentinel.disconnect();
  });
}

/** True also for an unconnected client, which asks the Sentinels when it connects. */
function leadsTo({ status, stream }: Redis, host: string | undefined, port: number): boolean {
  if (status !== 'connect' && status !== 'ready') return true;
  return stream.remoteAddress === host && stream.remotePort === port;
}
