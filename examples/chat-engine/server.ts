import { createServer } from 'node:http';
import { type Client, type Policy, RealtimeNode, ReplyError, WebSocketTransport } from '@msg/engine';

const ROOM = /^room:[a-z0-9-]{1,32}$/;
const NAME = /^\w{1,20}$/;
const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

/** The name in the connect data `{"name": "ann"}`, if there is one. */
function nameIn(data: Uint8Array | null): string | undefined {
  try {
    const { name } = JSON.parse(Buffer.from(data ?? []).toString());
    return typeof name === 'string' && NAME.test(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

/** Only those who are in a room may see and write what happens there. */
function mustBeIn(client: Client, channel: string): void {
  if (!client.isSubscribed(channel)) throw new ReplyError(103, 'enter the room first');
}

const policy: Policy = {
  connect({ data }) {
    const name = nameIn(data);
    if (name === undefined) throw new ReplyError(400, 'connect with data {"name": "…"}');
    return { user: name };
  },
  // Rooms keep what was said for those who lose their connection, and show who is there.
  subscribe(_client, { channel }) {
    if (!ROOM.test(channel)) throw new ReplyError(102, 'rooms are called room:kitchen, room:42 …');
    return { recovery: 'stream', emitPresence: true, emitJoinLeave: true, pushJoinLeave: true };
  },
  publish(client, event, forward) {
    mustBeIn(client, event.channel);
    if (event.data.length > 2000) throw new ReplyError(413, 'that is too long');
    return forward(event, {});
  },
  presence: mustBeIn,
  presenceStats: mustBeIn,
  history: mustBeIn,
  rpc(client, { method }) {
    if (method !== 'rooms') throw new ReplyError(104, `there is no method ${method}`);
    return json(client.channels().map(room => ({ room, people: node.subscriberCount(room) })));
  },
  // The last 100 messages of a room, until an hour has passed without a new one.
  streamOptions: () => ({ size: 100, ttlMs: 3_600_000 }),
};

const node = new RealtimeNode({ policy, onError: console.error });
await node.start();

const websocket = new WebSocketTransport(node);
const server = createServer((_request, response) => response.writeHead(404).end());
server.on('upgrade', (request, socket, head) => websocket.handleUpgrade(request, socket, head));
const port = Number(process.env['PORT'] ?? 8000);
server.once('error', error => {
  console.error(`chat cannot listen: ${error.message}; PORT=8001 takes another port`);
  process.exit(1);
});
server.listen(port, () => console.log(`chat on ws://localhost:${port}/connection/websocket`));

process.once('SIGTERM', async () => {
  await node.shutdown(); // tells every client to come back later
  server.close();
});
