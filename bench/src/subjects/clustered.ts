import { createServer } from 'node:http';
import { WebSocketTransport } from '@msg/engine';
import { channelName } from '../channels.ts';
import { LOAD_CORE, PinnedProcess } from '../pinned.ts';
import { listen } from '../servers/listen.ts';
import { clusteredFloor } from './clustered-floor.ts';
import type { Operation, SubjectEnvironment } from './operation.ts';
import { clusteredNode, PAYLOAD } from './redis.ts';

const LOAD = new URL('../load/client.ts', import.meta.url);
/** Publications that are under way at the same time. */
const AT_ONCE = { 'one at a time': 1, 'ten at once': 10, '256 at once': 256 };

/** Connects one WebSocket subscriber of the channel, which runs in a process of its own. */
async function subscribe(port: number): Promise<void> {
  const load = await PinnedProcess.start(LOAD, LOAD_CORE);
  const subscribing = { encoding: 'json', channels: 1, delta: false };
  await load.ask({ kind: 'open', port, count: 1, concurrency: 1, subscribing, stamped: false });
}

/** A node on a store publishes to a channel with one subscriber of its own: what that costs the node, and the floor. */
export async function operations({ redis }: SubjectEnvironment): Promise<readonly Operation[]> {
  const { node } = await clusteredNode(redis, `clustered-${process.pid}`);
  const transport = new WebSocketTransport(node);
  const server = createServer();
  server.on('upgrade', (request, socket, head) => transport.handleUpgrade(request, socket, head));
  await subscribe(await listen(server));
  const floor = await clusteredFloor(redis);
  await subscribe(floor.port);
  const ways = {
    engine: () => node.publish(channelName(0), PAYLOAD),
    floor: () => floor.publish(PAYLOAD),
  };
  return Object.entries(ways).flatMap(([way, run]) =>
    Object.entries(AT_ONCE).map(
      ([name, concurrency]): Operation => ({
        name: `${way}, ${name}, node CPU`,
        clock: 'cpu',
        concurrency,
        run,
      }),
    ),
  );
}
