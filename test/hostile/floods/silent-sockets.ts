import { flood, HostileSocket, upgradeRequest } from '@msg/testkit/hostile';
import { type FloodKind, GROWTH_BYTES } from './flood.ts';

const PARALLEL = 200;
/** A socket that says nothing is closed within this time: what it may take to connect, and patience. */
const CLOSED_MS = 25_000;

async function closedByServer(sockets: readonly HostileSocket[]): Promise<number> {
  const ends = await Promise.allSettled(sockets.map(socket => socket.ended(CLOSED_MS)));
  for (const socket of sockets) socket.destroy();
  return ends.filter(({ status }) => status === 'fulfilled').length;
}

function requireAllClosed(closed: number, opened: number): void {
  if (closed !== opened) throw new Error(`${opened - closed} of ${opened} silent sockets were left open`);
}

export const IDLE_SOCKETS: FloodKind = {
  name: 'sockets without a byte',
  against: 'service',
  peers: 4000,
  fewerPeers: 4000,
  growthBytes: GROWTH_BYTES,
  async run(field, peers) {
    const { results, failures } = await flood({ count: peers, parallel: PARALLEL }, () =>
      HostileSocket.open(field.url),
    );
    await field.inPlace();
    const closed = await closedByServer(results);
    requireAllClosed(closed, results.length);
    return `${results.length} sockets, ${failures.length} not let in, ${closed} closed by the service`;
  },
};

export const SILENT_WEBSOCKETS: FloodKind = {
  name: 'WebSockets without a connect',
  against: 'service',
  peers: 2000,
  fewerPeers: 2000,
  growthBytes: GROWTH_BYTES,
  async run(field, peers) {
    const { results, failures } = await flood({ count: peers, parallel: PARALLEL }, async () => {
      const socket = await HostileSocket.open(field.url);
      socket.send(upgradeRequest());
      await socket.until(/^HTTP\/1\.1 101/);
      return socket;
    });
    await field.inPlace();
    const closed = await closedByServer(results);
    requireAllClosed(closed, results.length);
    return `${results.length} WebSockets, ${failures.length} not let in, ${closed} closed by the service`;
  },
};
