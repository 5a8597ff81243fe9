import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Msg, type MsgOptions } from '@msg/server';

/** An application's own server with msg mounted in it. */
export interface Embedded {
  readonly msg: Msg;
  readonly server: Server;
  readonly url: string;
  readonly websocketUrl: string;
  stop(): Promise<void>;
}

const running: Embedded[] = [];

/** Stops whatever {@link embed} started. */
export async function stopEmbedded(): Promise<void> {
  await Promise.all(running.splice(0).map(one => one.stop()));
}

/** Starts one. */
export async function embed(options: MsgOptions = {}): Promise<Embedded> {
  const msg = await Msg.create(options);
  const handle = msg.handler();
  const server = createServer((request, response) => {
    if (request.url === '/app') response.end('the application');
    else handle(request, response);
  });
  msg.attach(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const controller = new AbortController();
  const ended = msg.run(controller.signal);
  await msg.ready();
  const { port } = server.address() as AddressInfo; // a bound TCP server
  const embedded: Embedded = {
    msg,
    server,
    url: `http://127.0.0.1:${port}`,
    websocketUrl: `ws://127.0.0.1:${port}/connection/websocket`,
    async stop() {
      controller.abort();
      await ended;
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  running.push(embedded);
  return embedded;
}
