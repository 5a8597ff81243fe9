import { createServer } from 'node:net';

/** A TCP port that was free a moment ago. Prefer port 0 where the server tells its actual port. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (typeof address === 'object' && address !== null) resolve(address.port);
        else reject(new Error('no port was assigned'));
      });
    });
  });
}
