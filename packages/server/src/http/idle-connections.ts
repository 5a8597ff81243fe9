import type { Server } from 'node:http';
import type { Clock } from '@msg/foundation/clock';

/** How long a connection may be idle between two requests, milliseconds, as answers announce it. */
const KEEP_ALIVE_MS = 5000;

/**
 * Closes the connections of a server that were idle for their time, but for those on which a request has
 * arrived meanwhile. `node:http` alone resets these after a long turn of the event loop: its timers run before it reads,
 * and the client's request fails with ECONNRESET.
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
