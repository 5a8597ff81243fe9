import { Redis } from 'ioredis';
import type { StoreAddress } from './address.ts';
import { retryDelay } from './retry-delay.ts';

const SWITCHED = '+switch-master';

/**
 * Ends the connection of a client when a Sentinel names another master than the one it leads to; the client then connects
 * anew. After a failover the Sentinels name the new master one after the other, seconds apart on a busy machine: a
 * connection that leads there already stays, since its end would cost the answers under way. Other topologies have nothing
 * of the kind.
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
    sentinel.on('error', () => {}); // it connects anew; the others speak meanwhile
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

/** Also when it is not connected: it will ask the Sentinels before it is. */
function leadsTo({ status, stream }: Redis, host: string | undefined, port: number): boolean {
  if (status !== 'connect' && status !== 'ready') return true;
  return stream.remoteAddress === host && stream.remotePort === port;
}
