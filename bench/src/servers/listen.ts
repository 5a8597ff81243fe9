import type { AddressInfo, Server } from 'node:net';

/** Listens on a free port of the loopback interface, with room for bursts of connections. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, resolve));
  return (server.address() as AddressInfo).port;
}
