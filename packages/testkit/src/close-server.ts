import type { Server } from 'node:http';

/** Ends a server and whatever is connected to it. */
export async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
}
