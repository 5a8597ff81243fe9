// An application that mounts msg in its own server, and one that mounts the engine alone, with compression. Prints the
// addresses of both when they listen, and runs until it is ended.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  EmulationEndpoint,
  HttpStreamTransport,
  RealtimeNode,
  SseTransport,
  WebSocketTransport,
} from '@msg/engine';
import { HTTP_TIMEOUTS, Msg } from '@msg/server';
import { ENGINE_PATHS } from './engine-paths.ts';

async function listen(server: Server): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a bound TCP server
}

async function startApplication(): Promise<{ url: string; token: string }> {
  const msg = await Msg.create();
  const handle = msg.handler();
  const server = createServer(HTTP_TIMEOUTS, (request, response) => {
    if (request.url === '/app') response.end('the application\n');
    else handle(request, response);
  });
  msg.attach(server);
  void msg.run(new AbortController().signal);
  await msg.ready();
  await msg.channels.openPublic('public:hostile.open');
  return { url: await listen(server), token: msg.tokens.issueBootstrap('operator', 3_600_000).token };
}

async function startEngine(): Promise<{ url: string }> {
  const node = new RealtimeNode({ policy: { connect: () => ({ user: '' }), subscribe: () => ({}) } });
  await node.start();
  const websocket = new WebSocketTransport(node, { compression: true });
  const endpoints: Readonly<
    Record<string, { handle(q: IncomingMessage, s: ServerResponse): Promise<void> }>
  > = {
    [ENGINE_PATHS.httpStream]: new HttpStreamTransport(node),
    [ENGINE_PATHS.sse]: new SseTransport(node),
    [ENGINE_PATHS.emulation]: new EmulationEndpoint(node),
  };
  const server = createServer(HTTP_TIMEOUTS, (request, response) => {
    const endpoint = endpoints[(request.url ?? '').split('?')[0] ?? ''];
    if (endpoint === undefined) response.end('ok');
    else void endpoint.handle(request, response);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    websocket.handleUpgrade(request, socket, head),
  );
  return { url: await listen(server) };
}

const [application, engine] = await Promise.all([startApplication(), startEngine()]);
console.log(JSON.stringify({ application, engine }));
