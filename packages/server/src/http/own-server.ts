import { createServer, type RequestListener, type Server } from 'node:http';
import { delayContinue } from '@msg/engine/internal';
import type { Clock } from '@msg/foundation/clock';
import { closeIdleConnections } from './idle-connections.ts';
import { HTTP_TIMEOUTS } from './timeouts.ts';

/** A server for the service alone, with the bounds of {@link HTTP_TIMEOUTS}. */
export function createOwnServer(handle: RequestListener, clock: Clock): Server {
  const server = createServer(HTTP_TIMEOUTS, handle);
  closeIdleConnections(server, clock);
  server.on('checkContinue', (request, response) => {
    delayContinue(request, response);
    handle(request, response);
  });
  return server;
}

/** Accepts no more connections, and waits for the open ones for at most the budget. */
export async function closeServer(server: Server, budgetMs: number, clock: Clock): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()));
  // This timer keeps the process alive; an unread connection does not, and Node would exit with 13.
  const timer = clock.setTimeout(() => server.closeAllConnections(), budgetMs, true);
  await closed;
  clock.clearTimeout(timer);
}
