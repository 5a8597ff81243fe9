import type { Server } from 'node:http';
import type { Clock } from '@msg/foundation/clock';

/** How long a connection may be idle between two requests, milliseconds, as answers announce it. */
const KEEP_ALIVE_MS = 5000;

/**
 * Closes the idle connections of a server, except those on which a request has arrived meanwhile. After a long turn of
 * the event loop `node:http` resets these: its timers run before it reads, and the client's request fails with
 * ECONNRESET.
 */
export function closeIdleConnections(server: Server, clock: Clock): void {
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  // With a listener, node:http leaves the closing to it.
  server.on('timeout', socket => {
    const { bytesRead } = socket;
    clock.afterTurn(() => {
      if (socket.bytesRead === bytesRead) socket.destroy();
    });
  });
}
