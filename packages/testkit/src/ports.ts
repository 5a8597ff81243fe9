import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections and to listeners without a wish. */
const LOWEST = 10_000;
const COUNT = 20_000;
/** Processes that ask at the same time begin at different places. */
const APART = 97;

let next = process.pid * APART;

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/**
 * A TCP port that is free, and that no other program takes by chance before it is used. Prefer port 0 where the server tells
 * its actual port.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < COUNT; tried++) {
    const port = LOWEST + (next++ % COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
}
