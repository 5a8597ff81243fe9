import { createServer } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { RealtimeNode, WebSocketTransport } from '@msg/engine';
import { threadBackends } from '@msg/engine/threads';
import { policy } from './policy.ts';

const { link, port } = workerData;
const { backends, close } = threadBackends(link, {
  onError: console.error,
  onBroken: () => process.exit(1), // main starts another thread
});
const node = new RealtimeNode({ policy, onError: console.error, ...backends });
await node.start();

const websocket = new WebSocketTransport(node);
const server = createServer((_request, response) => response.writeHead(404).end());
server.on('upgrade', (request, socket, head) => websocket.handleUpgrade(request, socket, head));
// The kernel gives each thread some of the connections: Linux, Node.js 22.12 or newer.
server.listen({ port, reusePort: true }, () =>
  parentPort?.postMessage(`${node.id} on ws://localhost:${port}/connection/websocket`),
);

parentPort?.on('message', async () => {
  server.close();
  await node.shutdown(); // tells every client to come back later
  close();
  parentPort?.close();
});
