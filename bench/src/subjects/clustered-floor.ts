import { createServer } from 'node:http';
import { Redis } from 'ioredis';
import { type WebSocket, WebSocketServer } from 'ws';
import { listen } from '../servers/listen.ts';

const SCRIPT = `redis.call('XADD', KEYS[1], 'MAXLEN', 100, '*', 'd', ARGV[1]) redis.call('PUBLISH', KEYS[1], ARGV[1])`;

/** Publishing through a store with as little as there can be: a call of a script, its PUB/SUB message, one `ws` write. */
export interface Floor {
  /** Of a WebSocket server: a client that sends something is the subscriber. */
  readonly port: number;
  publish(payload: Buffer): Promise<unknown>;
}

export async function clusteredFloor(address: string): Promise<Floor> {
  const [host = '', port = ''] = address.split(':');
  const place = { host, port: Number(port) };
  const [commands, messages] = [new Redis(place), new Redis(place)];
  let subscriber: WebSocket | undefined;
  const server = createServer();
  new WebSocketServer({ server, perMessageDeflate: false }).on('connection', socket => {
    subscriber = socket;
    socket.on('message', () => socket.send('{"id":2,"subscribe":{}}'));
  });
  const channel = `floor-${process.pid}`;
  await messages.subscribe(channel);
  messages.on('messageBuffer', (_channel, bytes: Buffer) => subscriber?.send(bytes, { binary: false }));
  const sha1 = String(await commands.script('LOAD', SCRIPT));
  return {
    port: await listen(server),
    publish: payload => commands.callBuffer('EVALSHA', sha1, 1, channel, payload),
  };
}
