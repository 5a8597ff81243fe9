import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** The behaviour of a destination. */
export type SinkCondition =
  | 'takes it'
  | 'cuts the connection'
  | 'never answers'
  | 'is busy'
  | 'refuses for good';

/** A real destination of a kind of sink, with the settings that lead to it. */
export interface SinkDestination {
  /** Values of settings, in the form of a configuration file. */
  readonly settings: Readonly<Record<string, string>>;
  /** Number of sends so far; for an accepting destination, of accepted messages. */
  readonly arrivals: () => number;
  close(): Promise<void>;
}

const STATUS = { 'takes it': 200, 'is busy': 503, 'refuses for good': 404 } as const;

/** An HTTP server on a free loopback port, and its address. */
export async function httpDestination(
  condition: SinkCondition,
): Promise<Omit<SinkDestination, 'settings'> & { readonly url: string }> {
  let arrivals = 0;
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      arrivals++;
      if (condition === 'cuts the connection') request.socket.resetAndDestroy();
      else if (condition !== 'never answers') response.writeHead(STATUS[condition]).end();
    });
  });
  server.on('connection', socket => sockets.add(socket));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has one
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals: () => arrivals,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>(resolve => server.close(() => resolve()));
    },
  };
}
